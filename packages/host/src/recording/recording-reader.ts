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
import { decodeEntry, toPublicEntry } from "./recorded-entry.ts";
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

/** An entry as others see it; its offset counts raw bytes in every view. */
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

/** What a reader thread can be asked: short questions, each of which reads a bounded number of entries, and long work in steps. */
export function createReaderMethods(store: StoreReader) {
  const tasks = new ReaderTasks(store);
  /** Called after a read where a life is named: what is there then was there when it was read. */
  const mustExist = (id: TerminalId, createdAt?: string): void => {
    if (store.hasTerminal(id, createdAt)) return;
    throw new NacreError("terminal_not_found", `there is no ${id}`, { field: "terminalId" });
  };
  return {
    readTerminal: (id: TerminalId) => readRecording(id, () => store.readTerminal(id)),
    listTerminals: (page: TerminalPage) => store.listTerminals(page),
    /** Finds entries page by page, their data as text in the view asked for. */
    findEntries: (input: FindRecordingEntriesInput) =>
      readRecording(input.terminalId, (): TerminalRecordingEntryCollection => {
        const { terminalId, types, after = 0, limit = DEFAULT_PAGE_ENTRIES, view } = input;
        mustExist(terminalId);
        const query = { terminalId, types, maxBytes: MAX_PAGE_BYTES };
        // One more than asked for tells whether more follow.
        const rows = store.readEntries({ ...query, after, limit: limit + 1 });
        const last = rows[Math.min(rows.length, limit) - 1];
        const entries = rows.slice(0, limit).map((row) => toShownEntry(row, view));
        const hasMore = (sequence: number): boolean =>
          rows.length > limit ||
          store.readEntries({ ...query, after: sequence, limit: 1, maxBytes: 1 }).length > 0;
        return last && hasMore(last.sequence)
          ? { entries, truncated: true, nextAfter: last.sequence }
          : { entries, truncated: false };
      }),
    /** Entries with their data as bytes, for those that replay them. */
    readEntries: (query: EntryQuery, createdAt?: string) =>
      readRecording(query.terminalId, () => {
        const rows = store.readEntries(query);
        if (createdAt !== undefined) mustExist(query.terminalId, createdAt);
        return rows.map(decodeEntry);
      }),
    /** The newest entries, so that reading a terminal costs the same however long its recording and large its entries are. */
    readWindow: (terminalId: TerminalId, { types, createdAt }: WindowOptions = {}) =>
      readRecording(terminalId, (): RecordingWindow => {
        // Entries that come from now on follow the window; they are not counted as if they were in it.
        const extent = store.readExtent(terminalId);
        const rows = store.readEntries({
          terminalId,
          before: extent.lastSequence + 1,
          types,
          limit: RECORDING_WINDOW_ENTRIES,
          maxBytes: RECORDING_WINDOW_BYTES,
        });
        mustExist(terminalId, createdAt);
        // The store reads at least one entry, however large it is.
        const isTooLarge = (rows[0]?.data?.byteLength ?? 0) > RECORDING_WINDOW_BYTES;
        const entries = rows.slice(isTooLarge ? 1 : 0).map((row) => toShownEntry(row));
        return { entries, extent };
      }),
    readExtent: (id: TerminalId, createdAt?: string) =>
      readRecording(id, () => {
        const extent = store.readExtent(id);
        mustExist(id, createdAt);
        return extent;
      }),
    /** The newest saved screen at or before a sequence, if there is one that can be read: without it, the entries say the same. */
    findSnapshot: (id: TerminalId, atOrBefore: number, createdAt?: string) => {
      try {
        const row = store.findSnapshot(id, atOrBefore);
        if (!store.hasTerminal(id, createdAt)) return undefined;
        return row && decodeSnapshotRow(row);
      } catch {
        return undefined; // What is wrong with the store is said to whoever reads the entries next.
      }
    },
    /** How long a recording is, and which entry belongs to which moment. */
    readTimeline: (query: TimelineQuery) =>
      readRecording(query.id, () => {
        mustExist(query.id);
        return readTimeline(store, query);
      }),
    /** The newest entry at a moment of a recording; nothing when it has none. */
    findSequenceAt: (id: TerminalId, elapsedMs: number) =>
      readRecording(id, () => {
        mustExist(id);
        return findSequenceAt(store, id, elapsedMs);
      }),
    readHead: (id: TerminalId) => readRecording(id, () => store.readHead(id)),
    listUnsealed: () => store.listUnsealed(),
    planRetention: (policy: RetentionPolicy, now: number) => planRetention(store, policy, now),
    /** Records of the audit page by page, newest last. */
    listAudit: ({ after = 0, limit = DEFAULT_LIST_LENGTH }: ListAuditInput): AuditPage => {
      // One more than asked for tells whether more follow.
      const found = store.readAudit({ after, limit: limit + 1 });
      const records = found.slice(0, limit);
      const last = records.at(-1);
      return found.length > limit && last
        ? { records, truncated: true, nextAfter: last.sequence }
        : { records, truncated: false };
    },
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
