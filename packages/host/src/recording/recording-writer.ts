import { isDeepStrictEqual } from "node:util";
import { DEFAULT_SIZE, NacreError, Size, type TerminalId } from "@nacre/contracts";
import type { EntryRow, SnapshotRow, Store, StoreReader } from "../store/store.ts";
import { anchorDigest, firstLink, nextLink, sealDigest } from "./chain.ts";
import type { GapWrite, GroupWrite } from "./deferred-writes.ts";
import { decodeEntry, encodeFact } from "./recorded-entry.ts";
import {
  type AuditWrite,
  type CommittedWrite,
  type NonEntryWrite,
  type EntryWrite,
  type FailedWrite,
  toFailedWrite,
} from "./write.ts";

/** More is seldom in flight to a recorder. */
const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 4 * 1024 * 1024;

interface SequenceRange {
  /** After what was found and settled: writes are sent again in order. */
  after: number;
  /** After what the current group has found. */
  next: number;
  /** The last sequence that the previous recorder wrote. */
  readonly through: number;
}

/**
 * Recognises which re-sent writes the previous recorder had committed; lives as long as a recorder, whichever store
 * that has open.
 */
export class ReplayDedup {
  readonly #ranges = new Map<TerminalId | "audit", SequenceRange>();
  #touched: SequenceRange[] = [];

  /** The group is committed: its matches are not searched again. */
  commit(): void {
    for (const range of this.#touched) range.after = range.next;
    this.#touched = [];
  }

  /** The group is not there and will be written again. */
  rollback(): void {
    for (const range of this.#touched) range.next = range.after;
    this.#touched = [];
  }

  /** Undefined when it is not there. */
  findEntry(store: StoreReader, write: EntryWrite): EntryRow | undefined {
    const { terminalId, committedBefore, type } = write;
    if (committedBefore === undefined) return undefined;
    const range =
      this.#ranges.get(terminalId) ??
      this.#addRange(terminalId, committedBefore, store.readExtent(terminalId).lastSequence);
    const page = { terminalId, types: [type], limit: PAGE_ENTRIES, maxBytes: PAGE_BYTES };
    for (let after = range.next; after < range.through;) {
      const rows = store.readEntries({ ...page, after });
      const found = rows.find((row) => row.sequence <= range.through && isSameEntry(row, write));
      if (found) {
        this.#note(range, found.sequence);
        return found;
      }
      after = rows.at(-1)?.sequence ?? range.through;
    }
    return undefined;
  }

  /** Undefined when it is not there. */
  findRecord(store: StoreReader, { committedBefore, record }: AuditWrite): number | undefined {
    if (committedBefore === undefined) return undefined;
    const readAfter = (after: number) => store.readAudit({ after, limit: PAGE_ENTRIES });
    const range =
      this.#ranges.get("audit") ??
      this.#addRange("audit", committedBefore, readAfter(committedBefore).at(-1)?.sequence ?? 0);
    if (range.next >= range.through) return undefined;
    const found = readAfter(range.next).find(
      ({ sequence, ...rest }) => sequence <= range.through && isDeepStrictEqual(rest, record),
    );
    if (found) this.#note(range, found.sequence);
    return found?.sequence;
  }

  /** The range is fixed at the first search: what this recorder wrote itself does not count. */
  #addRange(id: TerminalId | "audit", after: number, through: number): SequenceRange {
    const range = { after, next: after, through };
    this.#ranges.set(id, range);
    return range;
  }

  #note(range: SequenceRange, sequence: number): void {
    range.next = sequence;
    this.#touched.push(range);
  }
}

function isSameEntry(row: EntryRow, write: EntryWrite): boolean {
  const [had, has] = [row.data ?? new Uint8Array(), write.data ?? new Uint8Array()];
  const isFact = row.type === write.type && row.at === write.at && row.facts === write.facts;
  return isFact && row.offset === write.offset && Buffer.compare(had, has) === 0;
}

interface WritingHead {
  readonly sequence: number;
  readonly hash: Uint8Array;
  readonly elapsedMs: number;
  readonly sealed: boolean;
}

/** Ends of more recordings are looked up again. */
const MAX_REMEMBERED_HEADS = 10_000;

export interface WrittenGroup {
  readonly group: readonly GroupWrite[];
  readonly done: readonly CommittedWrite[];
  readonly failed: readonly FailedWrite[];
  readonly gaps: readonly EntryRow[];
  /** The commit token. */
  readonly token: number;
  /** Why it was not committed. */
  readonly error?: unknown;
}

interface GroupOutcome {
  readonly done: CommittedWrite[];
  readonly failed: FailedWrite[];
  readonly gaps: EntryRow[];
}

/** Assigns sequences and hashes, and writes each group in one transaction. */
export class RecordingWriter implements Disposable {
  readonly #store: Store;
  readonly #replayDedup: ReplayDedup;
  readonly #heads = new Map<TerminalId, WritingHead>();
  /** Heads as of the running transaction; valid once it is committed. */
  readonly #staged = new Map<TerminalId, WritingHead | undefined>();
  #token: number;

  constructor(store: Store, replayDedup = new ReplayDedup()) {
    this.#store = store;
    this.#replayDedup = replayDedup;
    this.#token = store.readCommitToken();
  }

  /** All of a group or, with an error, nothing; a single invalid write fails alone. */
  write(group: readonly GroupWrite[]): WrittenGroup {
    const outcome: GroupOutcome = { done: [], failed: [], gaps: [] };
    const token = ++this.#token;
    this.#staged.clear();
    this.#replayDedup.rollback();
    try {
      this.#store.transaction(() => {
        for (const write of group) this.#apply(write, outcome);
        this.#store.writeCommitToken(token);
      });
      this.#keepHeads();
      this.#replayDedup.commit();
      return { group, token, ...outcome };
    } catch (error) {
      // The cached heads may be the cause; they are looked up again.
      for (const id of this.#staged.keys()) this.#heads.delete(id);
      return { group, token, ...outcome, error: error ?? new Error("the store failed") };
    }
  }

  /** Makes removed data unreadable; not being able to do so now is no failure of the store. */
  scrub(write: NonEntryWrite): FailedWrite | undefined {
    try {
      this.#store.scrub();
      return undefined;
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      return toFailedWrite(write, new NacreError("unavailable", message));
    }
  }

  /** Without waiting for readers. */
  checkpointWal(): void {
    this.#store.checkpointWal();
  }

  /** Whether a group whose commit failed is there after all, as a whole. */
  isCommitted({ token }: WrittenGroup): boolean {
    const isThere = this.#store.readCommitToken() === token;
    if (isThere) this.#replayDedup.commit();
    return isThere;
  }

  hasTerminal(id: TerminalId): boolean {
    return this.#store.hasTerminal(id);
  }

  /** Space that can be written without growing the files. */
  reusableBytes(): number {
    return this.#store.readReusableBytes();
  }

  [Symbol.dispose](): void {
    this.#store[Symbol.dispose]();
  }

  #apply(write: GroupWrite, { done, failed, gaps }: GroupOutcome): void {
    try {
      const { count, elapsedMs = 0, row } = this.#applyOne(write);
      const data = write.kind === "entry" ? write.data : null;
      if (write.kind !== "gap") done.push({ ticket: write.ticket, count, elapsedMs, data });
      else if (row) gaps.push(row);
    } catch (error) {
      // Only a write refused before anything changed may fail alone.
      if (!(error instanceof NacreError)) throw error;
      if (write.kind !== "gap") failed.push(toFailedWrite(write, error));
    }
  }

  #applyOne(write: GroupWrite): { count: number; elapsedMs?: number; row?: EntryRow } {
    switch (write.kind) {
      case "entry":
      case "gap": {
        const row =
          write.kind === "gap"
            ? this.#insert(encodeGap(write))
            : (this.#replayDedup.findEntry(this.#store, write) ??
              this.#insert(this.#checkGap(write)));
        return { count: row.sequence, elapsedMs: row.elapsedMs, row };
      }
      case "terminal":
        this.#store.insertTerminal(write.row);
        return { count: 0 };
      case "seal":
        return { count: this.#seal(write.terminalId, write.at) };
      case "snapshot":
        this.#saveSnapshot(write.terminalId, write.row);
        return { count: 0 };
      case "trim":
        return { count: this.#trim(write.terminalId, write.throughSequence) };
      case "delete":
        return { count: this.#delete(write.terminalId) };
      case "audit":
        return {
          count:
            this.#replayDedup.findRecord(this.#store, write) ??
            this.#store.insertAudit(write.record),
        };
      case "trimAudit":
        return { count: this.#store.deleteAudit(write.removal) };
      case "scrub":
        throw new Error("a scrub is no part of a group");
    }
  }

  #insert(write: Omit<EntryWrite, "kind" | "ticket" | "strict" | "committedBefore">): EntryRow {
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

  /** Refuses an uncounted gap where nothing can be missing: before the header, and after the end. */
  #checkGap(write: EntryWrite): EntryWrite {
    if (write.type !== "gap") return write;
    const { terminalId } = write;
    const { sequence } = this.#headOf(terminalId);
    const query = { terminalId, after: sequence - 1, limit: 1, maxBytes: 1 };
    const [last] = this.#store.readEntries(query);
    if (sequence > 0 && last?.type !== "exit") return write;
    throw new NacreError("conflict", `nothing is missing in the recording of ${terminalId}`);
  }

  #seal(id: TerminalId, sealedAt: number): number {
    const head = this.#headOf(id);
    if (head.sealed) return head.sequence;
    const terminal = this.#store.readTerminal(id);
    if (!terminal) throw terminalNotFoundError(id);
    const end = { first: firstLink(terminal), last: head.hash, sequence: head.sequence, sealedAt };
    this.#store.writeSeal(id, { sequence: head.sequence, digest: sealDigest(end), sealedAt });
    this.#staged.set(id, { ...head, sealed: true });
    return head.sequence;
  }

  /** Also for a sealed recording: snapshots add nothing to it. */
  #saveSnapshot(id: TerminalId, row: SnapshotRow): void {
    const { sequence } = this.#headOf(id);
    if (row.sequence > sequence) {
      const message = `${id} has no entry ${row.sequence} yet, its last is ${sequence}`;
      throw new NacreError("invalid_argument", message, { field: "sequence" });
    }
    this.#store.insertSnapshot(id, row);
  }

  /** Returns how many entries were removed. */
  #trim(id: TerminalId, throughSequence: number): number {
    const { firstSequence, lastSequence } = this.#store.readExtent(id);
    const end = Math.min(throughSequence, lastSequence);
    if (end < firstSequence) return 0;
    const query = { terminalId: id, limit: 1, maxBytes: 1, before: end + 1 };
    const [last] = this.#store.readEntries(query);
    const [sized] = this.#store.readEntries({ ...query, types: ["header", "resize"] });
    if (!last) return 0;
    const size = decodeSize(sized) ?? this.#store.readAnchor(id) ?? DEFAULT_SIZE;
    const { cols, rows } = size;
    const place = { sequence: end, hash: last.hash, cols, rows };
    this.#store.trim(id, { ...place, digest: anchorDigest(this.#firstLinkOf(id), place) });
    return end - firstSequence + 1;
  }

  /** A terminal with a damaged row can lose its entries, too; its proof is lost already. */
  #firstLinkOf(id: TerminalId): Uint8Array {
    try {
      const terminal = this.#store.readTerminal(id);
      return terminal ? firstLink(terminal) : new Uint8Array();
    } catch {
      return new Uint8Array(); // Verification reports the damaged row.
    }
  }

  #delete(id: TerminalId): number {
    const { firstSequence, lastSequence } = this.#store.readExtent(id);
    if (!this.#store.deleteTerminal(id)) throw terminalNotFoundError(id);
    this.#staged.set(id, undefined);
    return lastSequence - firstSequence + 1;
  }

  #headOf(id: TerminalId): WritingHead {
    const known = this.#staged.has(id) ? this.#staged.get(id) : this.#heads.get(id);
    if (known) return known;
    const terminal = this.#store.readTerminal(id);
    if (!terminal) throw terminalNotFoundError(id);
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

const terminalNotFoundError = (id: TerminalId): NacreError =>
  new NacreError("terminal_not_found", `no terminal has the id ${id}`);

function encodeGap({ terminalId, at, elapsedMs, lostBytes, reason }: GapWrite) {
  return { terminalId, at, elapsedMs, ...encodeFact({ type: "gap", lostBytes, reason }) };
}

/** Undefined when it is damaged. */
function decodeSize(row: EntryRow | undefined): Size | undefined {
  if (!row) return undefined;
  try {
    const entry = decodeEntry(row);
    const size = "cols" in entry ? { cols: entry.cols, rows: entry.rows } : undefined;
    return Size.safeParse(size).data;
  } catch {
    return undefined; // A damaged entry can be removed like any other.
  }
}
