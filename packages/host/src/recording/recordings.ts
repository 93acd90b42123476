import {
  type AuditPage,
  type FindRecordingEntriesInput,
  type ListAuditInput,
  NacreError,
  type NewAuditRecord,
  parse,
  type RecordingBlocked,
  type RecordingTimeline,
  type SearchQuery,
  type SearchResult,
  type StorageInfo,
  type TerminalId,
  type TerminalRecordingEntryCollection,
  type TerminalStorage,
  TerminalStorageSchema,
} from "@nacre/contracts";
import { settleWithin } from "../base/settle-within.ts";
import type { EntryQuery, Extent, TerminalPage } from "../store/store.ts";
import { AuditRecords, FILE_AUDIT_LIMITS, MEMORY_AUDIT_LIMITS } from "./audit-records.ts";
import { DamagedRecordings } from "./store-errors.ts";
import {
  type ImportInput,
  type ImportOptions,
  importRecording,
  type ImportResult,
  Spool,
} from "./import-recording.ts";
import { MAX_MEMORY_BYTES_PER_TERMINAL, MemoryTrimmer } from "./memory-trimmer.ts";
import {
  createWorkers,
  type RecordingsOptions,
  type RecordingWorkers,
} from "./recording-workers.ts";
import {
  encodeSnapshotRow,
  type ReaderMethods,
  type RecordingWindow,
  type SavedSnapshot,
  type TimelineQuery,
  type WindowOptions,
} from "./recording-reader.ts";
import { decodeEntry, type RecordedEntry, toPublicEntry } from "./recorded-entry.ts";
import { RecorderClient } from "./recorder-client.ts";
import {
  RecordedTerminal,
  Recording,
  type RecordingContext,
  type RecordingOptions,
  type TerminalIdentity,
} from "./recording.ts";
import { type RemovalResult, Remover } from "./remover.ts";
import type { Removal, RetentionPolicy } from "./retention.ts";
import { IndexerClient } from "./search/indexer-client.ts";
import { SearchClient, type SearchRequester } from "./search/search-client.ts";
import { StorageMonitor } from "./storage-monitor.ts";
import { type ExportInput, type ImportSource, runTask } from "./reader-tasks.ts";
import { RestartingWorker } from "../base/port-rpc.ts";
import type { VerifyStep } from "./verify.ts";
import type { RecorderState } from "./write.ts";

export type { RecordingsOptions } from "./recording-workers.ts";
export type { RemovalResult } from "./remover.ts";

/** Whoever searches right after a command expects its output; a second suffices unless very much was written. */
const MAX_INDEX_WAIT_MS = 1000;

/** An entry's id contains that of its terminal, and must not exceed the limit of ids. */
const MAX_ID_LENGTH = "terminal:".length + 100;

export interface SearchOptions {
  readonly by?: SearchRequester | undefined;
  /** How long to wait for the index to contain what was recorded before the search. */
  readonly maxLagMs?: number | undefined;
}

/** Searches of the embedding program itself. */
const LIBRARY_REQUESTER: SearchRequester = { name: "", isFirst: true };

/** Searches do not wait longer for an index that is being opened. */
const READY_LIMIT_MS = 10_000;

/** Bounded: the thread may be stuck in a damaged file. */
async function awaitIndex(opened: Promise<void>, limitMs: number): Promise<void> {
  if (
    await settleWithin(
      opened.then(() => true),
      limitMs,
    )
  )
    return;
  const message = `the search index was not opened within ${limitMs} ms`;
  throw new NacreError("unavailable", message, { suggestion: "Try again in a moment." });
}

/** All recordings of a host: appended by one thread, read and searched by others. */
export class Recordings implements AsyncDisposable {
  readonly #recorder: RecorderClient;
  readonly #reader: RestartingWorker<ReaderMethods>;
  readonly #indexer: IndexerClient;
  readonly #searcher: SearchClient;
  /** Separate, because a regular expression can run until it is cancelled. */
  readonly #regexSearcher: SearchClient;
  readonly #remover: Remover;
  readonly #audit: AuditRecords;
  readonly #memoryTrimmer: MemoryTrimmer | undefined;
  readonly #damaged: DamagedRecordings;
  readonly #directory: string | undefined;
  readonly #handleIndexDamage: (error: unknown) => void;
  /** Until a search succeeds again: both threads may report the same damage. */
  #isIndexDamageTold = false;
  #indexed: Promise<void> | undefined;
  readonly #storage: StorageMonitor;

  private constructor(
    {
      recorder,
      workers,
      storage,
    }: { recorder: RecorderClient; workers: RecordingWorkers; storage: StorageMonitor },
    options: RecordingsOptions,
  ) {
    this.#recorder = recorder;
    this.#storage = storage;
    this.#damaged = new DamagedRecordings(options);
    this.#reader = new RestartingWorker<ReaderMethods>(() => workers.reader(), this.#damaged.note);
    this.#indexer = new IndexerClient(
      () => workers.indexer(),
      (error) => {
        this.#damaged.note(error);
        const isIndex = error instanceof NacreError && error.details?.["indexPath"] !== undefined;
        if (isIndex) this.#handleIndexDamage(error);
      },
    );
    this.#searcher = new SearchClient(() => workers.searcher());
    this.#regexSearcher = new SearchClient(() => workers.searcher());
    const remover = new Remover({ recorder, reader: this.#reader, indexer: this.#indexer });
    this.#remover = remover;
    const limits = options.directory === undefined ? MEMORY_AUDIT_LIMITS : FILE_AUDIT_LIMITS;
    this.#audit = new AuditRecords({ recorder, reader: this.#reader, limits });
    this.#directory = options.directory;
    this.#handleIndexDamage = (error) => {
      if (!this.#isIndexDamageTold) options.handleIndexDamage?.(error);
      this.#isIndexDamageTold = true;
    };
    if (options.directory !== undefined) return;
    const { memoryBytesPerTerminal: maxBytes = MAX_MEMORY_BYTES_PER_TERMINAL } = options;
    this.#memoryTrimmer = new MemoryTrimmer({
      maxBytes,
      trim: (id, last) => remover.trimAtOnce(id, last),
    });
  }

  /** Refuses a store that another host uses or a newer version wrote. */
  static async open(options: RecordingsOptions = {}): Promise<Recordings> {
    const workers = createWorkers(options);
    let opened: Recordings | undefined;
    const storage = new StorageMonitor((info) => options.handleStorage?.(info));
    const recorder = await RecorderClient.open(() => workers.recorder(), {
      handleState: (now) => {
        storage.handleState(now);
        options.handleState?.(now);
      },
      handleSpace: (space) => storage.handleSpace(space),
      handleGap: (row) => {
        if (opened) opened.#indexer.changed(row.terminalId);
        options.handleEntry?.(toPublicEntry(decodeEntry(row)));
      },
    });
    opened = new Recordings({ recorder, workers, storage }, options);
    return opened;
  }

  get state(): RecorderState {
    return this.#storage.recorder;
  }

  get storage(): StorageInfo {
    return this.#storage.info;
  }

  /** Undefined while recordings can be written. */
  get blocked(): RecordingBlocked | undefined {
    return this.#storage.blocked;
  }

  /** Called when the recorder's state changed, until the result is disposed of. */
  onState(listener: () => void): Disposable {
    return this.#storage.onState(listener);
  }

  /** Since this host opened the store. */
  get damagedCount(): number {
    return this.#damaged.count;
  }

  /** Stores the row of a new terminal and opens its recording. */
  async create(row: TerminalStorage, options?: RecordingOptions): Promise<Recording> {
    const checked = parse(TerminalStorageSchema, row);
    const tooLong = `id: has more than ${MAX_ID_LENGTH} characters`;
    if (row.id.length > MAX_ID_LENGTH) {
      throw new NacreError("invalid_argument", tooLong, { field: "id" });
    }
    await this.#recorder.write({ kind: "terminal", row: checked });
    return new Recording(row.id, this.#contextOf(0), options);
  }

  /** Opens an existing recording to append more. */
  async resume(id: TerminalId, options?: RecordingOptions): Promise<Recording> {
    const terminal = await this.readTerminal(id);
    if (!terminal) throw new NacreError("terminal_not_found", `no terminal has the id ${id}`);
    const head = await this.#reader.current.call("readHead", id);
    this.#recorder.resume(id, head?.sequence ?? (await this.readExtent(id)).lastSequence);
    // Nobody measured the time in between; the wall clock is the best estimate unless it jumped.
    const away = head ? Math.max(0, Date.now() - head.at) : 0;
    return new Recording(id, this.#contextOf((head?.elapsedMs ?? 0) + away), options);
  }

  readTerminal(id: TerminalId): Promise<TerminalStorage | undefined> {
    return this.#reader.current.call("readTerminal", id);
  }

  /** In order of creation. */
  listTerminals(page: TerminalPage): Promise<TerminalStorage[]> {
    return this.#reader.current.call("listTerminals", page);
  }

  /** Recordings that can still be appended to, in order of creation. */
  listUnsealed(): Promise<TerminalId[]> {
    return this.#reader.current.call("listUnsealed");
  }

  findEntries(input: FindRecordingEntriesInput): Promise<TerminalRecordingEntryCollection> {
    return this.#reader.current.call("findEntries", input);
  }

  forTerminal(life: TerminalIdentity): RecordedTerminal {
    return new RecordedTerminal(this, life);
  }

  /** Data as bytes; with `createdAt`, only of the terminal created then. */
  readEntries(query: EntryQuery, createdAt?: string): Promise<RecordedEntry[]> {
    return this.#reader.current.call("readEntries", query, createdAt);
  }

  /** The cost does not grow with the recording. */
  readWindow(id: TerminalId, options?: WindowOptions): Promise<RecordingWindow> {
    return this.#reader.current.call("readWindow", id, options);
  }

  readExtent(id: TerminalId, createdAt?: string): Promise<Extent> {
    return this.#reader.current.call("readExtent", id, createdAt);
  }

  readTimeline(query: TimelineQuery): Promise<RecordingTimeline> {
    return this.#reader.current.call("readTimeline", query);
  }

  findSequenceAt(id: TerminalId, elapsedMs: number): Promise<number | undefined> {
    return this.#reader.current.call("findSequenceAt", id, elapsedMs);
  }

  /** Rejected, and not retried, when it cannot be written now. */
  async saveSnapshot(terminalId: TerminalId, snapshot: SavedSnapshot): Promise<void> {
    await this.#recorder.write({ kind: "snapshot", terminalId, row: encodeSnapshotRow(snapshot) });
  }

  /** The newest at or before a sequence. */
  findSnapshot(
    terminalId: TerminalId,
    atOrBefore: number,
    createdAt?: string,
  ): Promise<SavedSnapshot | undefined> {
    return this.#reader.current.call("findSnapshot", terminalId, atOrBefore, createdAt);
  }

  /**
   * Searches all recordings, newest first; cancelled after two seconds. Callers take turns. Finds what was written just
   * before, or says that the index is behind.
   */
  async search(
    query: SearchQuery,
    { by = LIBRARY_REQUESTER, maxLagMs = MAX_INDEX_WAIT_MS }: SearchOptions = {},
  ): Promise<SearchResult> {
    // Searching opens the index read-only, so it must exist.
    this.#indexed ??= this.#indexer.ready();
    try {
      await awaitIndex(this.#indexed, READY_LIMIT_MS);
      // Later pages continue the first one's result.
      const isBehind = query.after === undefined && !(await this.#indexer.caughtUpWithin(maxLagMs));
      const searcher = query.mode === "regex" ? this.#regexSearcher : this.#searcher;
      const found = await searcher.search(query, by);
      this.#isIndexDamageTold = false;
      return isBehind ? { ...found, behind: true } : found;
    } catch (error) {
      if (error instanceof NacreError && error.code !== "unavailable") throw error;
      this.#indexed = undefined;
      if (error instanceof NacreError) throw error;
      this.#handleIndexDamage(error);
      // The index can always be rebuilt from the recordings.
      await awaitIndex(this.#indexer.rebuild(), READY_LIMIT_MS);
      const message = "the search index is damaged and is being rebuilt";
      throw new NacreError("unavailable", message, { cause: error });
    }
  }

  /** Resolves once everything appended before can be found. */
  whenIndexed(): Promise<void> {
    return this.#indexer.caughtUp();
  }

  /** Step by step; the last step is the verdict. */
  verify(terminalId: TerminalId): AsyncGenerator<VerifyStep> {
    return runTask(this.#reader, { task: "verify", terminalId });
  }

  /** Finds damage that verifying single recordings may miss; as slow as reading all files. */
  findDamage(): Promise<string | undefined> {
    return this.#reader.current.call("findDamage");
  }

  export(input: ExportInput): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    return runTask(this.#reader, { task: "export", ...input });
  }

  /** A damaged file is read up to the damage. */
  async import(input: ImportInput): Promise<ImportResult> {
    if ("path" in input) return await this.#import({ path: input.path }, input);
    await using spool = await Spool.of(input.pieces, this.#directory);
    return await this.#import({ descriptor: spool.descriptor }, input);
  }

  /** Returns how many entries were removed. */
  async delete(terminalId: TerminalId): Promise<number> {
    const entries = await this.#remover.delete(terminalId);
    this.#memoryTrimmer?.forget(terminalId);
    return entries;
  }

  /**
   * Removes a terminal and makes its data unreadable in the files; appends wait meanwhile. Idempotent, also for a
   * terminal that is gone.
   */
  async purge(terminalId: TerminalId): Promise<number> {
    const entries = await this.#remover.purge(terminalId);
    this.#memoryTrimmer?.forget(terminalId);
    return entries;
  }

  /** Resolves once committed; waits while nothing can be written. Bounded to the newest. */
  appendAudit(record: NewAuditRecord): Promise<void> {
    return this.#audit.append(record);
  }

  /** Newest last. */
  listAudit(page: ListAuditInput = {}): Promise<AuditPage> {
    return this.#audit.list(page);
  }

  planRetention(policy: RetentionPolicy, now = Date.now()): Promise<Removal[]> {
    return this.#remover.planRetention(policy, now);
  }

  applyRetention(policy: RetentionPolicy, now = Date.now()): Promise<RemovalResult[]> {
    return this.#remover.applyRetention(policy, now);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // The writer is closed last: that checkpoints the WAL. All are closed, whatever one of them throws.
    await using _writer = this.#recorder;
    const others = [this.#reader, this.#indexer, this.#searcher, this.#regexSearcher];
    const ended = await Promise.allSettled(others.map((one) => one[Symbol.asyncDispose]()));
    for (const one of ended) if (one.status === "rejected") throw one.reason;
  }

  #import(source: ImportSource, options: ImportOptions): Promise<ImportResult> {
    return importRecording(runTask(this.#reader, { task: "import", source }), {
      ...options,
      create: (row) => this.create(row, { strict: true }),
      remove: (id) => this.delete(id),
    });
  }

  #contextOf(elapsedMs: number): RecordingContext {
    return {
      recorder: this.#recorder,
      elapsedMs,
      changed: (id, entry) => {
        this.#indexer.changed(id);
        if (entry) this.#memoryTrimmer?.noteEntry(id, entry);
      },
      read: (query) => this.readEntries(query),
    };
  }
}
