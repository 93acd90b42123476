import {
  encodeBytes,
  EntryType,
  MAX_ENTRY_BYTES,
  NacreError,
  type RecordingEntryId,
  type TerminalId,
  type TerminalRecordingEntry,
} from "@nacre/contracts";
import type { EntryRow } from "../store/store.ts";

/** Assigned when a fact is appended. */
type EntryPosition = "id" | "terminalId" | "sequence" | "occurredAt" | "elapsedMs";

/** Inside the host data is bytes; text is made at the edge. */
type WithBytes<Entry> = Entry extends { readonly type: "input" | "output" }
  ? Omit<Entry, "data" | "encoding"> & { readonly data?: Uint8Array<ArrayBuffer> | undefined }
  : Entry;

type WithoutPosition<Entry> = Entry extends unknown ? Omit<Entry, EntryPosition> : never;

/** An entry inside the host, with data as bytes. */
export type RecordedEntry = WithBytes<TerminalRecordingEntry>;

/** An entry before it is appended. */
export type Fact = WithoutPosition<RecordedEntry>;

export type FactOf<Type extends Fact["type"]> = Extract<Fact, { readonly type: Type }>;

/** Everything but position and time. */
export type FactColumns = Pick<EntryRow, "type" | "offset" | "facts" | "data">;

/** Derived from terminal and sequence, so that nobody has to store it. */
export function entryIdOf(terminalId: TerminalId, sequence: number): RecordingEntryId {
  const uid = terminalId.slice("terminal:".length);
  return `terminal_recording_entry:${uid}-${sequence}` as RecordingEntryId;
}

/** Throws when the data exceeds the limit of an entry. */
export function encodeFact(fact: Fact): FactColumns {
  const { type, ...fields } = fact;
  const { data, offset, ...rest } = { data: undefined, offset: undefined, ...fields };
  if (data !== undefined && data.byteLength > MAX_ENTRY_BYTES) {
    throw new NacreError(
      "payload_too_large",
      `an entry has at most ${MAX_ENTRY_BYTES} bytes of data, not ${data.byteLength}`,
      { field: "data" },
    );
  }
  const facts = JSON.stringify(rest);
  return { type, offset: offset ?? null, facts: facts === "{}" ? null : facts, data: data ?? null };
}

/** Throws when the row is damaged. */
export function decodeEntry(row: EntryRow): RecordedEntry {
  const place = {
    id: entryIdOf(row.terminalId, row.sequence),
    terminalId: row.terminalId,
    sequence: row.sequence,
    occurredAt: decodeTime(row),
    elapsedMs: row.elapsedMs,
  };
  // `encodeFact` wrote the columns; the chain proves that they are unchanged.
  return {
    ...place,
    type: row.type,
    ...decodeFacts(row),
    ...(row.offset === null ? {} : { offset: row.offset }),
    ...(row.data === null ? {} : { data: row.data }),
  } as RecordedEntry;
}

function decodeTime(row: EntryRow): string {
  try {
    return new Date(row.at).toISOString();
  } catch (cause) {
    throw damagedEntryError(row, cause);
  }
}

function decodeFacts(row: EntryRow): object {
  try {
    EntryType.parse(row.type);
    const facts: unknown = row.facts === null ? {} : JSON.parse(row.facts);
    if (typeof facts === "object" && facts !== null) return facts;
  } catch (cause) {
    throw damagedEntryError(row, cause);
  }
  throw damagedEntryError(row);
}

function damagedEntryError(row: EntryRow, cause?: unknown): NacreError {
  const { terminalId, sequence } = row;
  return new NacreError("recording_damaged", `entry ${sequence} of ${terminalId} is damaged`, {
    cause,
    suggestion: "Verify the recording; entries before the one named can be read and exported.",
    details: { terminalId, sequence },
  });
}

/** For other processes: data as text, or base64 where it is not UTF-8. */
export function toPublicEntry(entry: RecordedEntry): TerminalRecordingEntry {
  if (entry.type !== "input" && entry.type !== "output") return entry;
  const { data, ...rest } = entry;
  return data === undefined ? rest : { ...rest, ...encodeBytes(data) };
}
