import { NacreError, type TerminalId } from "@nacre/contracts";
import type { Anchor, EntryQuery, EntryRow, StoreReader } from "../../store/store.ts";
import { damagedRecording, isDamage } from "../store-errors.ts";
import { decodeEntry } from "../recorded-entry.ts";
import { IndexStore, isTransient, type ProgressSummary, removeIndexFiles } from "./index-store.ts";
import { IndexerThrottle } from "./indexer-throttle.ts";
import { TerminalIndex } from "./terminal-index.ts";

export const createIndexerMethods = (indexer: Indexer) => ({
  ready: (): void => undefined,
  changed: (ids: readonly TerminalId[]): void => indexer.changed(ids),
  caughtUp: (): Promise<void> => indexer.caughtUp(),
  forget: (id: TerminalId): void => indexer.forget(id),
  trim: (id: TerminalId, throughSequence: number): void => indexer.trim(id, throughSequence),
  scrub: (): void => indexer.scrub(),
  rebuild: (): void => indexer.rebuild(),
  close: (): void => indexer[Symbol.dispose](),
});

export type IndexerMethods = ReturnType<typeof createIndexerMethods>;

/** A recording cannot be read. */
class DamagedRecording extends Error {}

/** Tells damage of a recording from damage of the index. */
function readRecorded<Result>(read: () => Result): Result {
  try {
    return read();
  } catch (cause) {
    if (isDamage(cause)) throw new DamagedRecording("the recording is damaged", { cause });
    throw cause;
  }
}

/** Skips a damaged recording: it must not keep all others from being found. */
function skipDamaged<Result>(
  look: () => Result,
  handleDamage: (cause: unknown) => void,
): Result | undefined {
  try {
    return look();
  } catch (error) {
    if (!(error instanceof DamagedRecording)) throw error;
    handleDamage(error.cause);
    return undefined;
  }
}

/** Up to the first entry that does not decode; `verify` reports where that is. */
function readDecodableRows(
  store: StoreReader,
  query: EntryQuery,
  handleDamage: (cause: unknown) => void = () => undefined,
): EntryRow[] {
  try {
    const rows = store.readEntries(query);
    const end = rows.findIndex((row) => !isReadable(row, handleDamage));
    return end < 0 ? rows : rows.slice(0, end);
  } catch (cause) {
    if (query.limit > 1) {
      return readDecodableRows(
        store,
        { ...query, limit: Math.floor(query.limit / 2) },
        handleDamage,
      );
    }
    if (isDamage(cause)) handleDamage(cause);
    return [];
  }
}

interface IndexedExtent {
  readonly through: number;
  readonly hash: Uint8Array;
  readonly anchor: Anchor | undefined;
}

/** Whether the indexed part equals the recording; a restored store may have continued differently. */
function isIndexedPrefix(
  store: StoreReader,
  terminalId: TerminalId,
  indexed: IndexedExtent,
): boolean {
  const { through, hash, anchor } = indexed;
  if (through === 0 || through <= (anchor?.sequence ?? 0)) return true;
  const [row] = readDecodableRows(store, { terminalId, after: through - 1, limit: 1, maxBytes: 1 });
  return row?.sequence === through && Buffer.compare(row.hash, hash) === 0;
}

function isReadable(row: EntryRow, handleDamage: (cause: unknown) => void): boolean {
  try {
    decodeEntry(row);
    return true;
  } catch (cause) {
    handleDamage(cause);
    return false;
  }
}

/** Changes within this time are indexed together. */
const GATHER_MS = 100;

/** Per terminal and step, so that all get their turn. */
const STEP_BYTES = 256 * 1024;
const STEP_ENTRIES = 1000;
const STEP_TERMINALS = 64;

/** Indexing states kept in memory; others are restored from the index. */
const MAX_READY_TERMINALS = 256;

/** Blocks per transaction: some tens of milliseconds. */
const TRIGRAM_BLOCKS = 8;

/** Delay before an unwritable index is tried again. */
const RETRY_MS = 1000;

/** Minimum interval of rebuilds on request: searches must not keep one from being finished. */
const REBUILD_EVERY_MS = 2000;

/** Terminals compared at once with the index. */
const LIST_PAGE = 1000;

const IN_MEMORY = ":memory:";

export interface IndexerOptions {
  readonly store: StoreReader;
  readonly path: string;
  /** An index in memory that others in this thread read, too. */
  readonly shared?: IndexStore;
  /** Reports damage: each recording once, the index until it was rebuilt. */
  handleDamage?(error: NacreError): void;
}

interface CatchUpWaiter {
  /** What was recorded when somebody began to wait. */
  readonly targets: Map<TerminalId, number>;
  resolve(): void;
}

/** Keeps the index up to date with the recordings; its only writer. */
export class Indexer implements Disposable {
  readonly #options: IndexerOptions;
  #index: IndexStore;
  readonly #dirty = new Set<TerminalId>();
  readonly #ready = new Map<TerminalId, TerminalIndex>();
  readonly #throttle = new IndexerThrottle();
  #waiting: CatchUpWaiter[] = [];
  #timer: NodeJS.Timeout | undefined;
  #trigramsPending = true;
  #isOpen = true;
  #isStartingOver = false;
  /** Time of the last rebuild. */
  #madeAtMs = Number.NEGATIVE_INFINITY;
  /** The index does not contain all recordings yet. */
  #isBuilding = true;
  #isClosed = false;
  /** Already reported. */
  readonly #damaged = new Set<TerminalId>();
  #isDamageTold = false;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#index = this.#open();
    try {
      this.#compare();
    } catch (error) {
      // A file that can be opened may still be damaged.
      this.#startOver(error, 0);
    }
  }

  /** Terminals with new entries or a seal. */
  changed(ids: readonly TerminalId[]): void {
    this.#throttle.noteChanges(this.#dirty.size > 0);
    for (const id of ids) this.#dirty.add(id);
    this.#schedule(GATHER_MS);
  }

  /** Resolves once everything recorded now can be found. */
  async caughtUp(): Promise<void> {
    if (this.#dirty.size === 0) return;
    const targets = new Map<TerminalId, number>();
    for (const id of this.#dirty) {
      const extent = this.#skipDamaged(id, () =>
        readRecorded(() => this.#options.store.readExtent(id)),
      );
      if (extent) targets.set(id, extent.lastSequence);
    }
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.push({ targets, resolve });
    // A waiter ends the rest.
    if (!this.#isStartingOver) {
      clearTimeout(this.#timer);
      this.#timer = undefined;
    }
    this.#schedule(0);
    await promise;
  }

  forget(id: TerminalId): void {
    this.#dirty.delete(id);
    this.#ready.delete(id);
    this.#remove(() => this.#index.forget(id));
  }

  /** Entries were removed from the beginning of a recording. */
  trim(id: TerminalId, throughSequence: number): void {
    this.#remove(() => this.#index.trim(id, throughSequence));
  }

  /** Makes removed data unreadable in the files. */
  scrub(): void {
    try {
      this.#index.scrub();
    } catch (error) {
      if (isTransient(error)) throw error;
      // Deleting the files removes everything in them.
      this.#close();
      this.#startOver(error, 0);
      this.#removeFiles();
    }
  }

  /** The index was found damaged. A search of the old file may still say so after a rebuild. */
  rebuild(): void {
    const isRecent = performance.now() - this.#madeAtMs < REBUILD_EVERY_MS;
    // Whoever found the damage reported it.
    this.#isDamageTold = true;
    if (this.#isOpen && !isRecent) this.#startOver(new Error("the index is damaged"), 0);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#close();
  }

  /** If the index is damaged it is rebuilt, and the recordings do not contain the removed data any more. */
  #remove(work: () => void): void {
    if (!this.#isOpen) return;
    try {
      this.#index.transaction(work);
    } catch (error) {
      if (isTransient(error)) throw error;
      this.#startOver(error, 0);
    }
  }

  #removeFiles(): void {
    if (this.#options.path !== IN_MEMORY) removeIndexFiles(this.#options.path);
  }

  #open(): IndexStore {
    const { path, shared } = this.#options;
    if (shared) return shared;
    try {
      return new IndexStore(path);
    } catch (error) {
      if (isTransient(error)) throw error;
      this.#noteIndexDamaged(error);
      removeIndexFiles(path);
      return new IndexStore(path);
    }
  }

  #close(): void {
    if (!this.#isOpen || this.#options.shared) return;
    this.#isOpen = false;
    try {
      this.#index[Symbol.dispose]();
    } catch {
      // It is given up either way.
    }
  }

  /** Finds what changed while the indexer was not running. */
  #compare(): void {
    const { store } = this.#options;
    const known = new Map(this.#index.listProgress().map((row) => [row.id, row]));
    let after: TerminalId | undefined;
    for (;;) {
      const page = { limit: LIST_PAGE, ...(after === undefined ? {} : { after }) };
      const ids = store.listTerminalIds(page);
      for (const id of ids) {
        this.#skipDamaged(id, () => this.#compareOne(id, known.get(id)));
        known.delete(id);
      }
      after = ids.at(-1);
      if (after === undefined) break;
    }
    for (const gone of known.keys()) this.forget(gone);
    this.#isBuilding = this.#index.isBuilding();
    this.#schedule(0);
  }

  /** Marks the index complete, once. */
  #noteBuilt(): void {
    if (!this.#isBuilding || this.#dirty.size > 0) return;
    this.#index.markBuilt();
    this.#isBuilding = false;
    this.#isDamageTold = false;
  }

  #compareOne(id: TerminalId, indexed: ProgressSummary | undefined): void {
    const { store } = this.#options;
    const anchor = readRecorded(() => store.readAnchor(id));
    const progress =
      indexed && isIndexedPrefix(store, id, { ...indexed, anchor }) ? indexed : undefined;
    if (indexed && !progress) this.forget(id);
    if (progress && anchor) this.trim(id, anchor.sequence);
    const isSealed = readRecorded(() => store.readSeal(id)) !== undefined;
    const isDone = progress?.through === readRecorded(() => store.readExtent(id)).lastSequence;
    if (!isDone || (isSealed && progress.isOpen)) this.#dirty.add(id);
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#step();
    }, ms);
  }

  #step(): void {
    this.#throttle.beginStep();
    try {
      if (!this.#index.isCurrent()) throw new Error("the file of the index is gone");
      this.#indexText();
      if (this.#throttle.mayIndexTrigrams(this.#dirty.size === 0))
        this.#trigramsPending = this.#indexTrigrams();
    } catch (error) {
      this.#startOver(error);
      return;
    }
    this.#waiting = this.#waiting.filter((one) => !this.#isReached(one));
    this.#noteBuilt();
    const restMs = this.#throttle.endStep();
    if (this.#dirty.size === 0 && !this.#trigramsPending) return;
    this.#schedule(this.#waiting.length === 0 ? restMs : 0);
  }

  #isReached(waiting: CatchUpWaiter): boolean {
    const { targets } = waiting;
    for (const [id, sequence] of targets) {
      const through = this.#ready.get(id)?.through ?? 0;
      if (through >= sequence || !this.#dirty.has(id)) targets.delete(id);
    }
    if (targets.size > 0) return false;
    waiting.resolve();
    return true;
  }

  #indexText(): void {
    const ids = [...this.#dirty].slice(0, STEP_TERMINALS);
    if (ids.length === 0) return;
    this.#index.transaction(() => {
      for (const id of ids) {
        if (this.#throttle.isStepOver) break;
        this.#dirty.delete(id);
        // To the end of the queue: others have their turn first.
        if (this.#skipDamaged(id, () => this.#indexTerminal(id))) this.#dirty.add(id);
      }
    });
  }

  /** Whether there may be more. */
  #indexTerminal(terminalId: TerminalId): boolean {
    const { store } = this.#options;
    if (!readRecorded(() => store.hasTerminal(terminalId))) return false;
    const anchor = readRecorded(() => store.readAnchor(terminalId));
    const terminal = this.#readyTerminal(terminalId);
    if (anchor && anchor.sequence > terminal.through) terminal.skipTo(anchor.sequence, anchor);
    const after = terminal.through;
    const query = { terminalId, after, limit: STEP_ENTRIES, maxBytes: STEP_BYTES };
    const rows = readDecodableRows(store, query, (cause) => this.#noteDamaged(terminalId, cause));
    const last = rows.at(-1);
    if (last) {
      // A full step means there is more: the next entry may not have fitted.
      const bytes = rows.reduce((sum, { data }) => sum + (data?.byteLength ?? 0), 0);
      if (bytes >= STEP_BYTES / 2 || rows.length === STEP_ENTRIES) this.#throttle.noteFull();
      terminal.add(rows.map(decodeEntry));
      terminal.write(last.hash);
      return true;
    }
    if (readRecorded(() => store.readSeal(terminalId)) === undefined) return false;
    const head = readRecorded(() => store.readHead(terminalId));
    terminal.end();
    terminal.write(head?.hash ?? anchor?.hash ?? new Uint8Array());
    this.#ready.delete(terminalId);
    return false;
  }

  #readyTerminal(id: TerminalId): TerminalIndex {
    const ready = this.#ready.get(id);
    if (ready) return ready;
    // Evicts the oldest.
    const [oldest] = this.#ready.keys();
    if (oldest !== undefined && this.#ready.size >= MAX_READY_TERMINALS) this.#ready.delete(oldest);
    const terminal = this.#restore(id);
    this.#ready.set(id, terminal);
    return terminal;
  }

  #restore(id: TerminalId): TerminalIndex {
    const store = this.#index;
    const timeOf = (sequence: number) =>
      this.#skipDamaged(id, () => readRecorded(() => this.#options.store.readTime(id, sequence)));
    try {
      return new TerminalIndex({ store, progress: store.readProgress(id), timeOf });
    } catch {
      // The stored state does not fit: the terminal is indexed anew.
      store.forget(id);
      return new TerminalIndex({ store, progress: store.readProgress(id), timeOf });
    }
  }

  /** Whether there may be more. */
  #indexTrigrams(): boolean {
    const count = this.#index.transaction(() => this.#index.indexTrigrams(TRIGRAM_BLOCKS));
    return count === TRIGRAM_BLOCKS;
  }

  #skipDamaged<Result>(id: TerminalId, look: () => Result): Result | undefined {
    return skipDamaged(look, (cause) => this.#noteDamaged(id, cause));
  }

  #noteDamaged(id: TerminalId, cause: unknown): void {
    if (this.#damaged.has(id)) return;
    this.#damaged.add(id);
    this.#options.handleDamage?.(damagedRecording(cause, id));
  }

  #noteIndexDamaged(cause: unknown): void {
    if (this.#isDamageTold) return;
    this.#isDamageTold = true;
    const { path: indexPath } = this.#options;
    const reason = cause instanceof Error ? cause.message : String(cause);
    const message = `the search index ${indexPath} is damaged and is being rebuilt from the recordings: ${reason}`;
    this.#options.handleDamage?.(
      new NacreError("unavailable", message, { cause, details: { indexPath } }),
    );
  }

  /**
   * A failed step is rolled back. Anything that is not transient is solved by a rebuild: the index holds nothing that
   * the recordings do not.
   */
  #startOver(error: unknown, delayMs = RETRY_MS): void {
    if (!isTransient(error)) this.#noteIndexDamaged(error);
    this.#ready.clear();
    this.#trigramsPending = true;
    this.#close();
    clearTimeout(this.#timer);
    this.#isStartingOver = true;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#isStartingOver = false;
      if (this.#isClosed) return;
      try {
        if (!isTransient(error)) this.#removeFiles();
        this.#madeAtMs = performance.now();
        this.#index = this.#open();
        this.#isOpen = true;
        this.#compare();
      } catch (again) {
        this.#startOver(again);
      }
    }, delayMs);
  }
}
