import { rmSync } from "node:fs";
import type { TerminalId } from "@nacre/contracts";
import type { StoreReader } from "../../store/store.ts";
import { entryOf } from "../entry-row.ts";
import type { RecordedEntry } from "../recorded-entry.ts";
import { IndexStore } from "./index-store.ts";
import { TerminalIndex } from "./terminal-index.ts";

/** What arrives within this time is indexed together; what is typed can be found soon after. */
const GATHER_MS = 100;

/** How much of one terminal is read per step, so that all get their turn. */
const STEP_BYTES = 256 * 1024;
const STEP_ENTRIES = 1000;
const STEP_TERMINALS = 64;

/** Terminals that are kept ready; others are read back from the index when they go on. */
const MAX_READY_TERMINALS = 256;

/** Blocks whose letters go into one transaction: some tens of milliseconds. */
const LETTERS_BLOCKS = 8;

/** An index that cannot be written is tried again after this. */
const RETRY_MS = 1000;

/** How many terminals are compared at once with what is indexed. */
const LIST_PAGE = 1000;

/** What the indexer needs. */
export interface IndexerOptions {
  readonly store: StoreReader;
  readonly path: string;
  /** Opens the index; only those that share it in one thread say how. */
  readonly openIndex?: () => IndexStore;
}

/** Keeps the search index up to date with the recordings; the only writer of the index. */
export class Indexer implements Disposable {
  readonly #options: IndexerOptions;
  #index: IndexStore;
  readonly #dirty = new Set<TerminalId>();
  readonly #ready = new Map<TerminalId, TerminalIndex>();
  #timer: NodeJS.Timeout | undefined;
  #lettersPending = true;
  #whenIdle: (() => void)[] = [];
  #isClosed = false;

  constructor(options: IndexerOptions) {
    this.#options = options;
    this.#index = this.#open();
    this.#compare();
  }

  /** Says that terminals have new entries or a seal. */
  changed(ids: readonly TerminalId[]): void {
    for (const id of ids) this.#dirty.add(id);
    this.#schedule(GATHER_MS);
  }

  /** Resolves once all that was said to have changed is in the index. */
  async caughtUp(): Promise<void> {
    if (this.#isIdle()) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#whenIdle.push(resolve);
    this.#schedule(0);
    await promise;
  }

  /** Removes a terminal from the index. */
  forget(id: TerminalId): void {
    this.#dirty.delete(id);
    this.#ready.delete(id);
    this.#index.transaction(() => this.#index.forget(id));
  }

  /** Removes what was removed from the beginning of a recording. */
  trim(id: TerminalId, throughSequence: number): void {
    this.#index.transaction(() => this.#index.trim(id, throughSequence));
  }

  /** Makes what was removed unreadable in the files of the index. */
  scrub(): void {
    this.#index.scrub();
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#index[Symbol.dispose]();
  }

  #isIdle(): boolean {
    return this.#dirty.size === 0 && !this.#lettersPending;
  }

  #open(): IndexStore {
    const open = this.#options.openIndex ?? (() => new IndexStore(this.#options.path));
    try {
      return open();
    } catch (error) {
      if (!isDamaged(error)) throw error;
      // It holds nothing that the recordings do not hold.
      for (const end of ["", "-wal", "-shm"]) rmSync(this.#options.path + end, { force: true });
      return open();
    }
  }

  /** Finds what changed while nobody looked. */
  #compare(): void {
    const { store } = this.#options;
    const through = new Map(this.#index.listProgress().map((row) => [row.id, row.through]));
    let after: TerminalId | undefined;
    for (;;) {
      const page = store.listTerminals({
        limit: LIST_PAGE,
        ...(after === undefined ? {} : { after }),
      });
      for (const { id } of page) {
        if (through.get(id) !== store.readExtent(id).lastSequence) this.#dirty.add(id);
        through.delete(id);
      }
      after = page.at(-1)?.id;
      if (after === undefined) break;
    }
    for (const gone of through.keys()) this.forget(gone);
    this.#schedule(0);
  }

  #schedule(ms: number): void {
    if (this.#isClosed) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#step();
    }, ms);
  }

  #step(): void {
    try {
      this.#indexText();
      this.#lettersPending = this.#indexLetters();
    } catch (error) {
      this.#startOver(error);
      return;
    }
    if (!this.#isIdle()) {
      this.#schedule(0);
      return;
    }
    const waiting = this.#whenIdle;
    this.#whenIdle = [];
    for (const resolve of waiting) resolve();
  }

  #indexText(): void {
    const ids = [...this.#dirty].slice(0, STEP_TERMINALS);
    if (ids.length === 0) return;
    this.#index.transaction(() => {
      for (const id of ids) {
        this.#dirty.delete(id);
        if (this.#indexTerminal(id)) this.#dirty.add(id);
      }
    });
    this.#lettersPending = true;
  }

  /** Indexes some entries of a terminal; tells whether there may be more. */
  #indexTerminal(terminalId: TerminalId): boolean {
    const { store } = this.#options;
    if (!store.readTerminal(terminalId)) return false;
    const terminal = this.#readyTerminal(terminalId);
    const anchor = store.readAnchor(terminalId);
    if (anchor && anchor.sequence > terminal.through) terminal.skipTo(anchor.sequence, anchor);
    const entries = this.#readOn(terminalId, terminal.through);
    const isSealed = entries.length === 0 && store.readSeal(terminalId) !== undefined;
    if (entries.length === 0 && !isSealed) return false;
    terminal.add(entries);
    if (isSealed) terminal.end();
    terminal.write();
    if (isSealed) this.#ready.delete(terminalId);
    return entries.length > 0;
  }

  #readOn(terminalId: TerminalId, after: number): RecordedEntry[] {
    const query = { terminalId, after, limit: STEP_ENTRIES, maxBytes: STEP_BYTES };
    try {
      return this.#options.store.readEntries(query).map(entryOf);
    } catch {
      // A damaged recording stays out of the index from here on; `verify` says where and why.
      return [];
    }
  }

  #readyTerminal(id: TerminalId): TerminalIndex {
    const ready = this.#ready.get(id);
    if (ready) return ready;
    const terminal = this.#restore(id);
    // The one that was made ready first goes first.
    const [oldest] = this.#ready.keys();
    if (oldest !== undefined && this.#ready.size >= MAX_READY_TERMINALS) this.#ready.delete(oldest);
    this.#ready.set(id, terminal);
    return terminal;
  }

  #restore(id: TerminalId): TerminalIndex {
    try {
      return new TerminalIndex(this.#index, this.#index.readProgress(id));
    } catch {
      // What was kept to go on with does not fit: the terminal is indexed anew.
      this.#index.forget(id);
      return new TerminalIndex(this.#index, this.#index.readProgress(id));
    }
  }

  /** Indexes the letters of some blocks; tells whether there may be more. */
  #indexLetters(): boolean {
    return (
      this.#index.transaction(() => this.#index.indexLetters(LETTERS_BLOCKS)) === LETTERS_BLOCKS
    );
  }

  /** A step that failed left no trace in the index; what it had in memory is not trusted any more. */
  #startOver(error: unknown): void {
    this.#ready.clear();
    this.#lettersPending = true;
    try {
      this.#index[Symbol.dispose]();
    } catch {
      // It is given up either way.
    }
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#isClosed) return;
      try {
        if (isDamaged(error)) {
          for (const end of ["", "-wal", "-shm"]) rmSync(this.#options.path + end, { force: true });
        }
        this.#index = this.#open();
        this.#compare();
      } catch (again) {
        this.#startOver(again);
      }
    }, RETRY_MS);
  }
}

/** SQLite's result codes for a file that is damaged or no database. */
const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isDamaged(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error)) return false;
  return [SQLITE_CORRUPT, SQLITE_NOTADB].includes(Number(error.errcode) % 256);
}
