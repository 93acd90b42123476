import type { Transferable } from "node:worker_threads";
import {
  type AuditPage,
  DEFAULT_LIST_LENGTH,
  DEFAULT_PAGE_ENTRIES,
  DEFAULT_TIMELINE_POINTS,
  type EntryTypes,
  type FindRecordingEntriesInput,
  type ListAuditInput,
  MAX_PAGE_BYTES,
  NacreError,
  type OutputView,
  parse,
  RECORDING_WINDOW_BYTES,
  RECORDING_WINDOW_ENTRIES,
  type RecordingTimeline,
  Size,
  type TerminalId,
  type TerminalRecordingEntry,
  type TerminalRecordingEntryCollection,
  type TerminalStorage,
} from "@nacre/contracts";
import { stripMarkers } from "../shell/strip-markers.ts";
import {
  type AuditKind,
  checkSnapshotLimit,
  type EntryQuery,
  type EntryRow,
  type Extent,
  type SnapshotRow,
  type StoreReader,
  type TerminalPage,
} from "../store/store.ts";
import { readRecording } from "./store-errors.ts";
import { decodeEntry, type RecordedEntry, toPublicEntry } from "./recorded-entry.ts";
import { planRetention, type RetentionPolicy } from "./retention.ts";
import { ReaderTasks, type TaskInput } from "./reader-tasks.ts";

/** The newest entries, and how many there are. */
export interface RecordingWindow {
  readonly entries: TerminalRecordingEntry[];
  readonly extent: Extent;
}

export interface WindowOptions {
  readonly types?: EntryTypes | undefined;
  /** Only of the terminal created then: the id may name another one by now. */
  readonly createdAt?: string | undefined;
}

/** Short queries; each reads a bounded number of entries. */
class RecordingReader {
  readonly #store: StoreReader;

  constructor(store: StoreReader) {
    this.#store = store;
  }

  readTerminal(id: TerminalId): TerminalStorage | undefined {
    return this.#store.readTerminal(id);
  }

  listTerminals(page: TerminalPage): TerminalStorage[] {
    return this.#store.listTerminals(page);
  }

  /** Page by page, data as text in the given view. */
  findEntries(input: FindRecordingEntriesInput): TerminalRecordingEntryCollection {
    const { terminalId, types, after = 0, limit = DEFAULT_PAGE_ENTRIES, view } = input;
    this.#mustExist(terminalId);
    const query = { terminalId, types, after, maxBytes: MAX_PAGE_BYTES };
    // One more than asked for tells whether more follow.
    const rows = this.#store.readEntries({ ...query, limit: limit + 1 });
    const last = rows[Math.min(rows.length, limit) - 1];
    const page = rows.slice(0, limit).map((row) => toShownEntry(row, view));
    const truncated =
      rows.length > limit ||
      (last !== undefined && this.#hasMore({ ...query, after: last.sequence }));
    return truncated && last
      ? { entries: page, truncated, nextAfter: last.sequence }
      : { entries: page, truncated: false };
  }

  /** Data as bytes, for replay. */
  readEntries(query: EntryQuery, createdAt?: string): RecordedEntry[] {
    const rows = this.#store.readEntries(query);
    if (createdAt !== undefined) this.#mustExist(query.terminalId, createdAt);
    return rows.map(decodeEntry);
  }

  /** The cost does not grow with the recording or its entries. */
  readWindow(terminalId: TerminalId, { types, createdAt }: WindowOptions = {}): RecordingWindow {
    // Entries from now on follow the window and must not be counted into it.
    const extent = this.#store.readExtent(terminalId);
    const rows = this.#store.readEntries({
      terminalId,
      before: extent.lastSequence + 1,
      types,
      limit: RECORDING_WINDOW_ENTRIES,
      maxBytes: RECORDING_WINDOW_BYTES,
    });
    this.#mustExist(terminalId, createdAt);
    // The store returns at least one entry, however large.
    const isTooLarge = (rows[0]?.data?.byteLength ?? 0) > RECORDING_WINDOW_BYTES;
    const entries = rows.slice(isTooLarge ? 1 : 0).map((row) => toShownEntry(row));
    return { entries, extent };
  }

  readExtent(id: TerminalId, createdAt?: string): Extent {
    const extent = this.#store.readExtent(id);
    this.#mustExist(id, createdAt);
    return extent;
  }

  readTimeline(query: TimelineQuery): RecordingTimeline {
    this.#mustExist(query.id);
    return readTimeline(this.#store, query);
  }

  /** The newest entry at a moment; undefined when there is none. */
  findSequenceAt(id: TerminalId, elapsedMs: number): number | undefined {
    this.#mustExist(id);
    return findSequenceAt(this.#store, id, elapsedMs);
  }

  /** The newest readable snapshot at or before a sequence; without one the entries yield the same screen. */
  findSnapshot(id: TerminalId, atOrBefore: number, createdAt?: string): SavedSnapshot | undefined {
    try {
      const row = this.#store.findSnapshot(id, atOrBefore);
      if (!this.#store.hasTerminal(id, createdAt)) return undefined;
      return row && decodeSnapshotRow(row);
    } catch {
      return undefined; // Whoever reads the entries next learns what is wrong with the store.
    }
  }

  /** Newest last. */
  listAudit({ after = 0, limit = DEFAULT_LIST_LENGTH }: ListAuditInput): AuditPage {
    // One more than asked for tells whether more follow.
    const found = this.#store.readAudit({ after, limit: limit + 1 });
    const records = found.slice(0, limit);
    const last = records.at(-1);
    return found.length > limit && last
      ? { records, truncated: true, nextAfter: last.sequence }
      : { records, truncated: false };
  }

  #hasMore(query: Omit<EntryQuery, "limit">): boolean {
    return this.#store.readEntries({ ...query, limit: 1, maxBytes: 1 }).length > 0;
  }

  /** Checked after the read: a terminal that exists then existed during it. */
  #mustExist(id: TerminalId, createdAt?: string): void {
    if (!this.#store.hasTerminal(id, createdAt)) {
      throw new NacreError("terminal_not_found", `no terminal has the id ${id}`, {
        field: "terminalId",
      });
    }
  }
}

/** Offsets count raw bytes in every view. */
function toShownEntry(row: EntryRow, view: OutputView = "stripped"): TerminalRecordingEntry {
  const entry = decodeEntry(row);
  if (view === "raw" || entry.type !== "output" || !entry.data) return toPublicEntry(entry);
  return toPublicEntry({ ...entry, data: stripMarkers(entry.data) });
}

/** A snapshot beside a recording; losing it costs only time. */
export interface SavedSnapshot {
  /** The last entry that it includes. */
  readonly sequence: number;
  readonly size: Size;
  /** Opaque here. */
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Copies the bytes, so that they can be transferred. */
export function encodeSnapshotRow({ sequence, size, bytes }: SavedSnapshot): SnapshotRow {
  if (!Number.isSafeInteger(sequence) || sequence < 1) {
    throw new NacreError("invalid_argument", `sequence: no entry has the sequence ${sequence}`, {
      field: "sequence",
    });
  }
  const row = { sequence, ...parse(Size, size, "size"), state: bytes };
  checkSnapshotLimit(row);
  return { ...row, state: bytes.slice() };
}

/** Undefined when it is damaged. */
function decodeSnapshotRow(row: SnapshotRow): SavedSnapshot | undefined {
  const { sequence, cols, rows, state } = row;
  const size = Size.safeParse({ cols, rows }).data;
  return size && { sequence, size, bytes: state };
}

export interface TimelineQuery {
  readonly id: TerminalId;
  readonly points?: number | undefined;
}

/** Each point costs a few lookups, however long the recording is. */
function readTimeline(
  store: StoreReader,
  { id, points = DEFAULT_TIMELINE_POINTS }: TimelineQuery,
): RecordingTimeline {
  const extent = store.readExtent(id);
  const { firstSequence, lastSequence } = extent;
  const firstMs = store.readElapsed(id, firstSequence) ?? 0;
  const durationMs = store.readHead(id)?.elapsedMs ?? 0;
  const isEmpty = lastSequence < firstSequence;
  const spanMs = Math.max(0, durationMs - firstMs);
  // Points are ascending.
  let low = firstSequence;
  return {
    id,
    startedAt: new Date(readBeginning(store, id, { firstSequence, firstMs })).toISOString(),
    durationMs,
    firstSequence,
    lastSequence,
    sealed: store.readSeal(id) !== undefined,
    points: isEmpty
      ? []
      : Array.from({ length: points }, (_, place) => {
          const elapsedMs = Math.round(firstMs + (spanMs * place) / (points - 1));
          low = bisectSequence(store, id, { extent: { ...extent, firstSequence: low }, elapsedMs });
          return { elapsedMs, sequence: low };
        }),
  };
}

/** The newest entry at a moment; the first one kept when the moment is before it. */
function findSequenceAt(store: StoreReader, id: TerminalId, elapsedMs: number): number | undefined {
  const extent = store.readExtent(id);
  if (extent.lastSequence < extent.firstSequence) return undefined;
  return bisectSequence(store, id, { extent, elapsedMs });
}

interface MomentQuery {
  readonly extent: Extent;
  readonly elapsedMs: number;
}

/** Binary search: a recording's clock never goes back. */
function bisectSequence(
  store: StoreReader,
  id: TerminalId,
  { extent, elapsedMs }: MomentQuery,
): number {
  let low = extent.firstSequence;
  let high = extent.lastSequence;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    // An entry removed meanwhile precedes any that is kept.
    if ((store.readElapsed(id, middle) ?? 0) <= elapsedMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Unix ms at which the recording's clock was zero. */
function readBeginning(
  store: StoreReader,
  id: TerminalId,
  { firstSequence, firstMs }: { readonly firstSequence: number; readonly firstMs: number },
): number {
  const at = store.readTime(id, firstSequence);
  return at === undefined ? Date.parse(store.readTerminal(id)?.createdAt ?? "") : at - firstMs;
}

export function createReaderMethods(store: StoreReader) {
  const reader = new RecordingReader(store);
  const tasks = new ReaderTasks(store);
  return {
    readTerminal: (id: TerminalId) => readRecording(id, () => reader.readTerminal(id)),
    listTerminals: (page: TerminalPage) => reader.listTerminals(page),
    findEntries: (input: FindRecordingEntriesInput) =>
      readRecording(input.terminalId, () => reader.findEntries(input)),
    readEntries: (query: EntryQuery, createdAt?: string) =>
      readRecording(query.terminalId, () => reader.readEntries(query, createdAt)),
    readWindow: (id: TerminalId, options?: WindowOptions) =>
      readRecording(id, () => reader.readWindow(id, options)),
    readExtent: (id: TerminalId, createdAt?: string) =>
      readRecording(id, () => reader.readExtent(id, createdAt)),
    findSnapshot: (id: TerminalId, atOrBefore: number, createdAt?: string) =>
      reader.findSnapshot(id, atOrBefore, createdAt),
    readTimeline: (query: TimelineQuery) =>
      readRecording(query.id, () => reader.readTimeline(query)),
    findSequenceAt: (id: TerminalId, elapsedMs: number) =>
      readRecording(id, () => reader.findSequenceAt(id, elapsedMs)),
    readHead: (id: TerminalId) => readRecording(id, () => store.readHead(id)),
    listUnsealed: () => store.listUnsealed(),
    planRetention: (policy: RetentionPolicy, now: number) => planRetention(store, policy, now),
    listAudit: (page: ListAuditInput) => reader.listAudit(page),
    findAuditBehind: (kind: AuditKind, newerCount: number) =>
      store.findAuditBehind(kind, newerCount),
    findDamage: () => store.findDamage(),
    start: (input: TaskInput) => tasks.start(input),
    next: (id: number) => tasks.next(id),
    stop: (id: number) => tasks.stop(id),
  };
}

export type ReaderMethods = ReturnType<typeof createReaderMethods>;

/** Buffers that nobody else uses are transferred. */
export function transferablesOf(answer: unknown): Transferable[] {
  const items: readonly unknown[] = Array.isArray(answer) ? answer : [answer];
  return items.flatMap((item) => {
    if (typeof item !== "object" || item === null) return [];
    const bytes = "data" in item ? item.data : "bytes" in item ? item.bytes : undefined;
    return bytes instanceof Uint8Array && bytes.buffer instanceof ArrayBuffer ? [bytes.buffer] : [];
  });
}
