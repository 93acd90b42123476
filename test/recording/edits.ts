// Edits of a recording by somebody who has its file and knows its form, and which of its entries must be named as the first bad one.
import { changedValue, type Draw } from "./changed-value.ts";
import type { EditedRecording, Value } from "./edited-recording.ts";

/** Makes one edit; returns the entry that must be named, or nothing where any may be. */
type Edit = (recording: EditedRecording, draw: Draw) => number | undefined;

const COLUMNS = ["type", "at", "elapsed_ms", "offset", "facts", "data", "hash"] as const;
const TERMINAL_COLUMNS = [
  "owner_name",
  "owner_id",
  "owner_attributes",
  "working_directory",
  "name",
  "command",
  "args",
  "created_at",
] as const;

const pick = <Item>(items: readonly Item[], draw: Draw, otherwise: Item): Item =>
  items[draw(items.length)] ?? otherwise;

const entryOf = ({ first, last }: EditedRecording, draw: Draw): number =>
  first + draw(last - first + 1);

/** An entry that has one before it. */
const laterEntryOf = ({ first, last }: EditedRecording, draw: Draw): number =>
  first + 1 + draw(last - first);

function changeEntry(recording: EditedRecording, sequence: number, draw: Draw): string {
  const column = pick(COLUMNS, draw, "data");
  const where = "AND sequence = ?";
  const value = recording.readColumn("terminal_recording_entry", column, where, sequence);
  recording.writeColumn(column, sequence, changedValue(value, column, draw));
  return column;
}

function changeRow(recording: EditedRecording, table: string, column: string, draw: Draw): void {
  const key = table === "terminal" ? "number" : "terminal";
  const value: Value = recording.readColumn(table, column);
  const changed = changedValue(value, column, draw);
  recording.run(`UPDATE ${table} SET ${column} = ?2 WHERE ${key} = ?1`, changed);
}

/** The first entry that cannot be what was recorded: its own link, or without entries before it the seal's. */
const afterRelinked = (recording: EditedRecording, sequence: number): number =>
  Math.min(sequence + 1, recording.last);

/** Edits that must be found in every sealed recording that has entries. */
export const EDITS: Readonly<Record<string, Edit>> = {
  "a column of an entry is changed": (recording, draw) => {
    const sequence = entryOf(recording, draw);
    changeEntry(recording, sequence, draw);
    return sequence;
  },
  "an entry is changed and its hash made to fit": (recording, draw) => {
    const sequence = laterEntryOf(recording, draw);
    if (changeEntry(recording, sequence, draw) === "hash") return sequence;
    recording.relink(sequence);
    // Its own hash fits, so what gives it away is the next one, or the seal.
    return afterRelinked(recording, sequence);
  },
  "an entry is changed and all hashes made to fit": (recording, draw) => {
    const sequence = laterEntryOf(recording, draw);
    if (changeEntry(recording, sequence, draw) === "hash") return sequence;
    recording.relink(sequence, recording.last);
    return recording.last;
  },
  "an entry is dropped": (recording, draw) => {
    const sequence = entryOf(recording, draw);
    recording.drop(sequence);
    return sequence;
  },
  "an entry is dropped and the later ones move up": (recording, draw) => {
    const sequence = entryOf(recording, draw);
    recording.drop(sequence);
    recording.shift(sequence + 1, -1);
    return sequence;
  },
  "an entry is dropped, the later ones move up and all hashes are made to fit": (
    recording,
    draw,
  ) => {
    const sequence = laterEntryOf(recording, draw);
    recording.drop(sequence);
    recording.shift(sequence + 1, -1);
    recording.relink(sequence, recording.last - 1);
    return recording.last;
  },
  "the end is cut off": (recording, draw) => {
    const sequence = entryOf(recording, draw);
    recording.run(
      "DELETE FROM terminal_recording_entry WHERE terminal = ? AND sequence >= ?",
      sequence,
    );
    return sequence;
  },
  "two entries are swapped": (recording, draw) => {
    const one = entryOf(recording, draw);
    const other = entryOf(recording, draw);
    const [first, second] = one === other ? [recording.first, recording.last] : [one, other];
    recording.swap(first, second);
    return Math.min(first, second);
  },
  "two neighbours are swapped": (recording, draw) => {
    const sequence = laterEntryOf(recording, draw);
    recording.swap(sequence - 1, sequence);
    return sequence - 1;
  },
  "an entry is put in": (recording, draw) => {
    const sequence = entryOf(recording, draw);
    recording.shift(sequence, 1);
    // The copy of an entry; one of itself would only be found one place later.
    recording.insertCopy(
      sequence === recording.last ? recording.first : recording.last + 1,
      sequence,
    );
    return sequence;
  },
  "an entry is put in and its hash made to fit": (recording, draw) => {
    const sequence = laterEntryOf(recording, draw);
    recording.shift(sequence, 1);
    recording.insertCopy(recording.first, sequence);
    recording.relink(sequence);
    return sequence + 1;
  },
  "an entry is added at the end and its hash made to fit": (recording) => {
    const sequence = recording.last + 1;
    recording.insertCopy(recording.first, sequence);
    recording.relink(sequence);
    return sequence;
  },
  "an entry is moved to another recording": (recording, draw) => {
    const sequence = entryOf(recording, draw);
    recording.run(
      "UPDATE terminal_recording_entry SET terminal = (SELECT max(number) FROM terminal) WHERE terminal = ? AND sequence = ?",
      sequence,
    );
    return sequence;
  },
  "the row of the terminal is changed": (recording, draw) => {
    changeRow(recording, "terminal", pick(TERMINAL_COLUMNS, draw, "name"), draw);
    // The first entry's link covers it; where that is gone only the seal does, which is no entry's.
    return recording.first === 1 ? 1 : undefined;
  },
  "the digest of the seal is changed": (recording, draw) => {
    changeRow(recording, "recording_seal", "digest", draw);
    return recording.last;
  },
  "the time of the seal is changed": (recording, draw) => {
    changeRow(recording, "recording_seal", "sealed_at", draw);
    return recording.last;
  },
  "the seal is moved": (recording, draw) => {
    const by = draw(2) === 0 ? -1 : 1;
    recording.run("UPDATE recording_seal SET sequence = sequence + ?2 WHERE terminal = ?1", by);
    // Moved back, the last entry was added; moved forward, one more is missing.
    return by < 0 ? recording.last : recording.last + 1;
  },
  "the beginning is declared removed and then changed": (recording, draw) => {
    const sequence = laterEntryOf(recording, draw);
    recording.declareRemoved(sequence - 1);
    changeEntry(recording, recording.first + draw(sequence - recording.first), draw);
    return undefined;
  },
};

/** Edits that must be found in a sealed recording that lost its beginning. */
export const ANCHOR_EDITS: Readonly<Record<string, Edit>> = {
  "a column of the anchor is changed": (recording, draw) => {
    const column = pick(["sequence", "hash", "cols", "rows", "digest"], draw, "hash");
    changeRow(recording, "recording_anchor", column, draw);
    return undefined;
  },
  "the anchor is dropped": (recording) => {
    recording.run("DELETE FROM recording_anchor WHERE terminal = ?");
    return undefined;
  },
};

/** Edits that nothing in the file can show, and what a verification says about the recording instead. */
export const LIMITS: Readonly<Record<string, Edit>> = {
  "the seal is dropped": (recording) => {
    recording.run("DELETE FROM recording_seal WHERE terminal = ?");
    return undefined;
  },
  "the beginning is dropped with a fitting anchor": (recording) => {
    const through = recording.first + 4;
    recording.declareRemoved(through);
    recording.run(
      "DELETE FROM terminal_recording_entry WHERE terminal = ? AND sequence <= ?",
      through,
    );
    return undefined;
  },
  "an entry is changed, and all hashes and the seal are made to fit": (recording) => {
    recording.writeColumn("at", recording.last, 1);
    recording.relink(recording.last);
    recording.reseal();
    return undefined;
  },
};
