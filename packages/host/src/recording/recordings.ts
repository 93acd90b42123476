import {
  type FindRecordingEntriesInput,
  NacreError,
  type SearchQuery,
  type SearchResult,
  type TerminalId,
  type TerminalRecordingEntry,
  type TerminalRecordingEntryCollection,
  type TerminalStorage,
} from "@nacre/contracts";
import type { EntryQuery, Extent } from "../store/store.ts";
import { entryOf, publicEntryOf } from "./entry-row.ts";
import { type Imported, type ImportInput, importRecording } from "./import-recording.ts";
import { filedParts, memoryParts, type StorageOptions } from "./parts.ts";
import type { ReaderCalls } from "./reader-calls.ts";
import type { RecordingWindow } from "./reader.ts";
import type { RecordedEntry } from "./recorded-entry.ts";
import { RecorderLink } from "./recorder-link.ts";
import { Recording, type RecordingContext, type RecordingOptions } from "./recording.ts";
import type { Removal, RetentionPolicy } from "./retention.ts";
import { IndexerLink } from "./search/indexer-link.ts";
import { SearchLink } from "./search/search-link.ts";
import type { ExportInput, TaskInput, TaskSteps } from "./tasks.ts";
import { Caller } from "./thread-call.ts";
import type { VerifyStep } from "./verify.ts";
import type { RecorderState } from "./write.ts";

/** How recordings are kept, and who is told what happens to them. */
export interface RecordingsOptions extends StorageOptions {
  /** Whether recordings can be written changed. */
  handleState?(state: RecorderState): void;
  /** An entry was appended that nobody asked for: a gap. */
  handleEntry?(entry: TerminalRecordingEntry): void;
}

/** What a removal removed. */
export interface Removed extends Removal {
  readonly entries: number;
}

/** Removes this many entries at a time, so that appends get their turn in between. */
const TRIM_STEP_ENTRIES = 2000;

/** All Recordings of a Host: appended by one thread, read and searched by others. */
export class Recordings implements AsyncDisposable {
  readonly #link: RecorderLink;
  readonly #reader: Caller<ReaderCalls>;
  readonly #indexer: IndexerLink;
  readonly #searcher: SearchLink;
  #state: RecorderState = { state: "ok" };

  private constructor(parts: {
    readonly link: RecorderLink;
    readonly reader: Caller<ReaderCalls>;
    readonly indexer: IndexerLink;
    readonly searcher: SearchLink;
  }) {
    this.#link = parts.link;
    this.#reader = parts.reader;
    this.#indexer = parts.indexer;
    this.#searcher = parts.searcher;
  }

  /** Opens the store and starts the threads; refuses a store that another host uses or a newer version wrote. */
  static async open(options: RecordingsOptions = {}): Promise<Recordings> {
    const { directory } = options;
    const parts = directory === undefined ? memoryParts() : filedParts(directory, options);
    const states: RecorderState[] = [];
    let opened: Recordings | undefined;
    const link = await RecorderLink.open(() => parts.recorder(), {
      handleState: (state) => {
        if (opened) opened.#state = state;
        else states.push(state);
        options.handleState?.(state);
      },
      handleGap: (row) => {
        if (opened) opened.#indexer.changed(row.terminalId);
        options.handleEntry?.(publicEntryOf(entryOf(row)));
      },
    });
    opened = new Recordings({
      link,
      reader: new Caller<ReaderCalls>(parts.reader()),
      indexer: new IndexerLink(() => parts.indexer()),
      searcher: new SearchLink(() => parts.searcher()),
    });
    opened.#state = states.at(-1) ?? opened.#state;
    return opened;
  }

  /** Whether recordings can be written now. */
  get state(): RecorderState {
    return this.#state;
  }

  /** Keeps the row of a new terminal and opens its recording. */
  async create(row: TerminalStorage, options?: RecordingOptions): Promise<Recording> {
    await this.#link.write({ kind: "terminal", row });
    return new Recording(row.id, this.#contextOf(0), options);
  }

  /** Opens the recording of a terminal that is there, to append more. */
  async resume(id: TerminalId, options?: RecordingOptions): Promise<Recording> {
    const terminal = await this.readTerminal(id);
    if (!terminal) throw new NacreError("terminal_not_found", `there is no ${id}`);
    const head = await this.#reader.call("readHead", id);
    // Nobody measured the time in between; the wall clock is the best there is, unless it jumped.
    const away = head ? Math.max(0, Date.now() - head.at) : 0;
    return new Recording(id, this.#contextOf((head?.elapsedMs ?? 0) + away), options);
  }

  readTerminal(id: TerminalId): Promise<TerminalStorage | undefined> {
    return this.#reader.call("readTerminal", id);
  }

  /** Terminals in the order of their creation. */
  listTerminals(page: { after?: TerminalId; limit: number }): Promise<TerminalStorage[]> {
    return this.#reader.call("listTerminals", page);
  }

  /** A page of a recording, as others see it. */
  findEntries(input: FindRecordingEntriesInput): Promise<TerminalRecordingEntryCollection> {
    return this.#reader.call("findEntries", input);
  }

  /** Entries with their data as bytes. */
  readEntries(query: EntryQuery): Promise<RecordedEntry[]> {
    return this.#reader.call("readEntries", query);
  }

  /** The newest entries of a recording, however long it is. */
  readWindow(id: TerminalId): Promise<RecordingWindow> {
    return this.#reader.call("readWindow", id);
  }

  readExtent(id: TerminalId): Promise<Extent> {
    return this.#reader.call("readExtent", id);
  }

  /** Finds text in all recordings, newest first; cancelled after two seconds. */
  async search(query: SearchQuery): Promise<SearchResult> {
    // Searching opens the index only to read it, so it must be there.
    await this.#indexer.ready();
    return this.#searcher.search(query);
  }

  /** Resolves once everything that was appended before can be found. */
  whenIndexed(): Promise<void> {
    return this.#indexer.caughtUp();
  }

  /** Proves a recording, step by step; the last step is the verdict. */
  verify(terminalId: TerminalId): AsyncGenerator<VerifyStep> {
    return this.#steps({ task: "verify", terminalId });
  }

  /** Writes a recording down in another form, piece by piece. */
  export(input: ExportInput): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    return this.#steps({ task: "export", ...input });
  }

  /** Reads a cast as a terminal that has ended; a damaged file is read up to the damage. */
  import(input: ImportInput): Promise<Imported> {
    const steps = this.#steps({ task: "import", path: input.path });
    return importRecording(steps, { ...input, create: (row) => this.create(row) });
  }

  /** Removes a terminal with its recording; returns how many entries that were. */
  async delete(terminalId: TerminalId): Promise<number> {
    const { lastSequence } = await this.readExtent(terminalId);
    const trimmed = await this.#trim(terminalId, lastSequence);
    const { count } = await this.#link.write({ kind: "delete", terminalId });
    await this.#indexer.forget(terminalId);
    return trimmed + count;
  }

  /** Removes a terminal so that nothing of it can be read in the files any more; appends wait meanwhile. */
  async purge(terminalId: TerminalId): Promise<number> {
    const entries = await this.delete(terminalId);
    await this.#link.write({ kind: "scrub" });
    await this.#indexer.scrub();
    return entries;
  }

  /** Removes what the policy does not keep, and says what that was. */
  async applyRetention(policy: RetentionPolicy, now = Date.now()): Promise<Removed[]> {
    const { maxTotalBytes, ...perTerminal } = policy;
    const removed = await this.#removeAll(
      await this.#reader.call("planRetention", perTerminal, now),
    );
    if (maxTotalBytes === undefined) return removed;
    // What is left counts, so it is looked at again.
    const rest = await this.#reader.call("planRetention", { maxTotalBytes }, now);
    return [...removed, ...(await this.#removeAll(rest))];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#searcher[Symbol.asyncDispose]();
    await this.#indexer[Symbol.asyncDispose]();
    await this.#reader.terminate();
    // The writer goes last: with its end the log is folded into the store.
    await this.#link[Symbol.asyncDispose]();
  }

  async #removeAll(plan: readonly Removal[]): Promise<Removed[]> {
    const removed: Removed[] = [];
    for (const removal of plan) {
      const { terminalId, throughSequence, whole } = removal;
      const entries = whole
        ? await this.delete(terminalId)
        : await this.#trim(terminalId, throughSequence);
      if (!whole) await this.#indexer.trim(terminalId, throughSequence);
      removed.push({ ...removal, entries });
    }
    return removed;
  }

  async #trim(terminalId: TerminalId, throughSequence: number): Promise<number> {
    const { firstSequence } = await this.readExtent(terminalId);
    let entries = 0;
    for (let start = firstSequence; start <= throughSequence; start += TRIM_STEP_ENTRIES) {
      const end = Math.min(throughSequence, start + TRIM_STEP_ENTRIES - 1);
      entries += (await this.#link.write({ kind: "trim", terminalId, throughSequence: end })).count;
    }
    return entries;
  }

  async *#steps<Task extends TaskInput>(input: Task): AsyncGenerator<TaskSteps[Task["task"]]> {
    const id = await this.#reader.call("start", input);
    try {
      for (;;) {
        const next = await this.#reader.call("next", id);
        if (!next) return;
        // The task of this name gives steps of this type.
        yield next.step as TaskSteps[Task["task"]];
      }
    } finally {
      if (!this.#reader.isOver) await this.#reader.call("stop", id);
    }
  }

  #contextOf(elapsedMs: number): RecordingContext {
    return { link: this.#link, elapsedMs, changed: (id) => this.#indexer.changed(id) };
  }
}
