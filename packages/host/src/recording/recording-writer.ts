import { NacreError, type TerminalId } from "@nacre/contracts";
import type { EntryRow, Store } from "../store/store.ts";
import { firstLink, nextLink, sealDigest } from "./chain.ts";
import { columnsOf } from "./entry-row.ts";
import type { GapWrite, HeldWrite } from "./held-writes.ts";
import type { ControlWrite, Done, EntryWrite, Failed, Write } from "./write.ts";

/** The end of a recording that is being written. */
interface WritingHead {
  readonly sequence: number;
  readonly hash: Uint8Array;
  readonly elapsedMs: number;
  readonly sealed: boolean;
}

/** More recordings than this are seldom written at once; their ends are looked up again. */
const MAX_REMEMBERED_HEADS = 10_000;

/** What became of a group. */
export interface WrittenGroup {
  readonly group: readonly HeldWrite[];
  readonly done: Done[];
  readonly failed: Failed[];
  /** The gap entries that were written. */
  readonly gaps: EntryRow[];
  /** The newest entry of the group. */
  lastRow: EntryRow | undefined;
  /** Why it was not committed; absent when it was. */
  error?: unknown;
}

/** Gives entries their sequence and hash and writes groups of them, each in one transaction. */
export class RecordingWriter implements Disposable {
  readonly #store: Store;
  readonly #heads = new Map<TerminalId, WritingHead>();
  /** The ends as the running transaction leaves them; they count once it is committed. */
  readonly #staged = new Map<TerminalId, WritingHead | undefined>();

  constructor(store: Store) {
    this.#store = store;
  }

  /** Writes all of a group or, with an error, nothing; a single write that makes no sense fails alone. */
  write(group: readonly HeldWrite[]): WrittenGroup {
    const written: WrittenGroup = { group, done: [], failed: [], gaps: [], lastRow: undefined };
    this.#staged.clear();
    try {
      this.#store.transaction(() => {
        for (const write of group) this.#apply(write, written);
      });
      this.#keepHeads();
    } catch (error) {
      written.error = error ?? new Error("the store failed");
    }
    return written;
  }

  /** Makes what was removed unreadable; that it cannot be done now is no failure of the store. */
  scrub(write: ControlWrite): WrittenGroup {
    const written: WrittenGroup = {
      group: [write],
      done: [],
      failed: [],
      gaps: [],
      lastRow: undefined,
    };
    try {
      this.#store.scrub();
      written.done.push({ ticket: write.ticket, count: 0, data: null });
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      written.failed.push(refused(write, new NacreError("unavailable", message)));
    }
    return written;
  }

  /** Tells whether a group whose commit failed is there all the same; it is there as a whole or not at all. */
  has({ lastRow, group }: WrittenGroup): boolean {
    if (!lastRow) return group.some((write) => this.#isDone(write));
    const { terminalId, sequence, hash } = lastRow;
    const query = { terminalId, after: sequence - 1, limit: 1, maxBytes: 1 };
    const [row] = this.#store.readEntries(query);
    return row?.sequence === sequence && Buffer.compare(row.hash, hash) === 0;
  }

  #isDone(write: HeldWrite): boolean {
    if (write.kind === "terminal") return this.#store.readTerminal(write.row.id) !== undefined;
    if (write.kind === "seal") return this.#store.readSeal(write.terminalId) !== undefined;
    return write.kind === "delete" && this.#store.readTerminal(write.terminalId) === undefined;
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }

  #apply(write: HeldWrite, written: WrittenGroup): void {
    try {
      const count = this.#applyOne(write, written);
      const data = write.kind === "entry" ? write.data : null;
      if (write.kind !== "gap") written.done.push({ ticket: write.ticket, count, data });
    } catch (error) {
      // Only what was refused before anything changed may fail alone.
      if (!(error instanceof NacreError) || write.kind === "gap") throw error;
      written.failed.push(refused(write, error));
    }
  }

  #applyOne(write: HeldWrite, written: WrittenGroup): number {
    switch (write.kind) {
      case "entry":
        written.lastRow = this.#insert(write);
        return written.lastRow.sequence;
      case "gap":
        if (!this.#store.readTerminal(write.terminalId)) return 0;
        written.lastRow = this.#insert(gapEntry(write));
        written.gaps.push(written.lastRow);
        return written.lastRow.sequence;
      case "terminal":
        this.#store.insertTerminal(write.row);
        return 0;
      case "seal":
        return this.#seal(write.terminalId, write.at);
      case "trim":
        return this.#trim(write.terminalId, write.throughSequence);
      case "delete":
        return this.#delete(write.terminalId);
      case "scrub":
        return 0;
    }
  }

  #insert(write: Omit<EntryWrite, "kind" | "ticket" | "strict">): EntryRow {
    const head = this.#headOf(write.terminalId);
    if (head.sealed) {
      throw new NacreError("conflict", `the recording of ${write.terminalId} is sealed`, {
        suggestion: "Nothing can be added to it; create a new terminal.",
      });
    }
    const row = {
      terminalId: write.terminalId,
      sequence: head.sequence + 1,
      type: write.type,
      at: write.at,
      elapsedMs: Math.max(write.elapsedMs, head.elapsedMs),
      offset: write.offset,
      facts: write.facts,
      data: write.data,
    };
    const hash = nextLink(head.hash, row);
    this.#store.insertEntry({ ...row, hash });
    const { sequence, elapsedMs } = row;
    this.#staged.set(write.terminalId, { sequence, hash, elapsedMs, sealed: false });
    return { ...row, hash };
  }

  #seal(id: TerminalId, sealedAt: number): number {
    const head = this.#headOf(id);
    if (head.sealed) return head.sequence;
    const terminal = this.#store.readTerminal(id);
    if (!terminal) throw notFound(id);
    const end = { first: firstLink(terminal), last: head.hash, sequence: head.sequence, sealedAt };
    this.#store.writeSeal(id, { sequence: head.sequence, digest: sealDigest(end), sealedAt });
    this.#staged.set(id, { ...head, sealed: true });
    return head.sequence;
  }

  /** Removes the oldest entries; returns how many. */
  #trim(id: TerminalId, throughSequence: number): number {
    const { firstSequence, lastSequence } = this.#store.readExtent(id);
    const end = Math.min(throughSequence, lastSequence);
    if (end < firstSequence) return 0;
    const query = { terminalId: id, limit: 1, maxBytes: 1, before: end + 1 };
    const [last] = this.#store.readEntries(query);
    const [sized] = this.#store.readEntries({ ...query, types: ["header", "resize"] });
    if (!last) return 0;
    const size = sizeIn(sized) ?? this.#store.readAnchor(id) ?? { cols: 80, rows: 24 };
    const { cols, rows } = size;
    this.#headOf(id); // The end must be known before its entry may go.
    this.#store.trim(id, { sequence: end, hash: last.hash, cols, rows });
    return end - firstSequence + 1;
  }

  #delete(id: TerminalId): number {
    const { firstSequence, lastSequence } = this.#store.readExtent(id);
    if (!this.#store.deleteTerminal(id)) throw notFound(id);
    this.#staged.set(id, undefined);
    return lastSequence - firstSequence + 1;
  }

  #headOf(id: TerminalId): WritingHead {
    const known = this.#staged.has(id) ? this.#staged.get(id) : this.#heads.get(id);
    if (known) return known;
    const terminal = this.#store.readTerminal(id);
    if (!terminal) throw notFound(id);
    const sealed = this.#store.readSeal(id) !== undefined;
    const { sequence, hash, elapsedMs } = this.#store.readHead(id) ?? {
      elapsedMs: 0,
      ...(this.#store.readAnchor(id) ?? { sequence: 0, hash: firstLink(terminal) }),
    };
    const head = { sequence, hash, elapsedMs, sealed };
    this.#staged.set(id, head);
    return head;
  }

  #keepHeads(): void {
    if (this.#heads.size > MAX_REMEMBERED_HEADS) this.#heads.clear();
    for (const [id, head] of this.#staged) {
      if (head) this.#heads.set(id, head);
      else this.#heads.delete(id);
    }
  }
}

const notFound = (id: TerminalId): NacreError =>
  new NacreError("terminal_not_found", `there is no ${id}`);

function refused(write: Write, { code, message }: NacreError): Failed {
  const data = write.kind === "entry" ? write.data : null;
  return { ticket: write.ticket, problem: { code, message }, data };
}

function gapEntry({ terminalId, at, elapsedMs, lostBytes, reason }: GapWrite) {
  return { terminalId, at, elapsedMs, ...columnsOf({ type: "gap", lostBytes, reason }) };
}

/** The size that a header or resize entry names. */
function sizeIn(row: EntryRow | undefined): { cols: number; rows: number } | undefined {
  if (row?.facts === undefined || row.facts === null) return undefined;
  const { cols, rows }: { cols?: unknown; rows?: unknown } = JSON.parse(row.facts) ?? {};
  return typeof cols === "number" && typeof rows === "number" ? { cols, rows } : undefined;
}
