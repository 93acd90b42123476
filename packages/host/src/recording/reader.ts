import {
  type AuditPage,
  DEFAULT_LIST_LENGTH,
  DEFAULT_PAGE_ENTRIES,
  type EntryTypes,
  type FindRecordingEntriesInput,
  type ListAuditInput,
  MAX_PAGE_BYTES,
  NacreError,
  type OutputView,
  RECORDING_WINDOW_BYTES,
  RECORDING_WINDOW_ENTRIES,
  type RecordingTimeline,
  type TerminalId,
  type TerminalRecordingEntry,
  type TerminalRecordingEntryCollection,
  type TerminalStorage,
} from "@nacre/contracts";
import { stripMarkers } from "../shell/strip.ts";
import type { EntryQuery, EntryRow, Extent, StoreReader, TerminalPage } from "../store/store.ts";
import { decodeEntry, toPublicEntry } from "./entry-row.ts";
import type { RecordedEntry } from "./recorded-entry.ts";
import { findSequenceAt, readTimeline, type TimelineQuery } from "./timeline.ts";
import { type SavedSnapshot, decodeSnapshotRow } from "./saved-snapshot.ts";

/** The newest entries of a recording, and how many there are in all. */
export interface RecordingWindow {
  readonly entries: TerminalRecordingEntry[];
  readonly extent: Extent;
}

/** Which of the newest entries to read. */
export interface WindowOptions {
  readonly types?: EntryTypes | undefined;
  /** Only of the terminal that was created then: its id may name another one by now. */
  readonly createdAt?: string | undefined;
}

/** Answers short questions about recordings; each reads a bounded number of entries. */
export class RecordingReader {
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

  /** Finds entries page by page, their data as text in the view asked for. */
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

  /** Entries with their data as bytes, for those that replay them. */
  readEntries(query: EntryQuery, createdAt?: string): RecordedEntry[] {
    const rows = this.#store.readEntries(query);
    if (createdAt !== undefined) this.#mustExist(query.terminalId, createdAt);
    return rows.map(decodeEntry);
  }

  /** The newest entries, so that reading a terminal costs the same however long its recording and large its entries are. */
  readWindow(terminalId: TerminalId, { types, createdAt }: WindowOptions = {}): RecordingWindow {
    // Entries that come from now on follow the window; they are not counted as if they were in it.
    const extent = this.#store.readExtent(terminalId);
    const rows = this.#store.readEntries({
      terminalId,
      before: extent.lastSequence + 1,
      types,
      limit: RECORDING_WINDOW_ENTRIES,
      maxBytes: RECORDING_WINDOW_BYTES,
    });
    this.#mustExist(terminalId, createdAt);
    // The store reads at least one entry, however large it is.
    const isTooLarge = (rows[0]?.data?.byteLength ?? 0) > RECORDING_WINDOW_BYTES;
    const entries = rows.slice(isTooLarge ? 1 : 0).map((row) => toShownEntry(row));
    return { entries, extent };
  }

  readExtent(id: TerminalId, createdAt?: string): Extent {
    const extent = this.#store.readExtent(id);
    this.#mustExist(id, createdAt);
    return extent;
  }

  /** How long a recording is, and which entry belongs to which moment. */
  readTimeline(query: TimelineQuery): RecordingTimeline {
    this.#mustExist(query.id);
    return readTimeline(this.#store, query);
  }

  /** The newest entry at a moment of a recording; nothing when it has none. */
  findSequenceAt(id: TerminalId, elapsedMs: number): number | undefined {
    this.#mustExist(id);
    return findSequenceAt(this.#store, id, elapsedMs);
  }

  /** The newest saved screen at or before a sequence, if there is one that can be read: without it, the entries say the same. */
  findSnapshot(id: TerminalId, atOrBefore: number, createdAt?: string): SavedSnapshot | undefined {
    try {
      const row = this.#store.findSnapshot(id, atOrBefore);
      if (!this.#store.hasTerminal(id, createdAt)) return undefined;
      return row && decodeSnapshotRow(row);
    } catch {
      return undefined; // What is wrong with the store is said to whoever reads the entries next.
    }
  }

  /** Records of the audit page by page, newest last. */
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

  /** Called after a read where a life is named: what is there then was there when it was read. */
  #mustExist(id: TerminalId, createdAt?: string): void {
    if (!this.#store.hasTerminal(id, createdAt)) {
      throw new NacreError("terminal_not_found", `there is no ${id}`, { field: "terminalId" });
    }
  }
}

/** An entry as others see it; its offset counts raw bytes in every view. */
function toShownEntry(row: EntryRow, view: OutputView = "stripped"): TerminalRecordingEntry {
  const entry = decodeEntry(row);
  if (view === "raw" || entry.type !== "output" || !entry.data) return toPublicEntry(entry);
  return toPublicEntry({ ...entry, data: stripMarkers(entry.data) });
}
