import {
  type EntryTypes,
  NacreError,
  type TerminalId,
  type TerminalStorage,
} from "@nacre/contracts";
import type { EntryQuery, Extent } from "../store/store.ts";
import type { RecordingWindow, SavedSnapshot } from "./recording-reader.ts";
import { encodeFact, entryIdOf, type Fact, type RecordedEntry } from "./recorded-entry.ts";
import type { RecorderClient } from "./recorder-client.ts";
import type { Recordings } from "./recordings.ts";
import { type InputChunk, type InputRecording, InputRedactor } from "./input-redactor.ts";

/** One life of an id: a recording can be deleted, and its id then be given to the terminal of somebody else. */
export type TerminalIdentity = Pick<TerminalStorage, "id" | "createdAt">;

/** The recording of one terminal, to read from; when it was deleted, `terminal_not_found`, also where its id has another one now. */
export class RecordedTerminal {
  readonly #recordings: Recordings;
  readonly #identity: TerminalIdentity;

  constructor(recordings: Recordings, { id, createdAt }: TerminalIdentity) {
    this.#recordings = recordings;
    this.#identity = { id, createdAt };
  }

  get id(): TerminalId {
    return this.#identity.id;
  }

  /** Whether recordings can be written now. */
  get state(): "ok" | "degraded" {
    return this.#recordings.state.state;
  }

  /** Entries with their data as bytes. */
  readEntries(query: Omit<EntryQuery, "terminalId">): Promise<RecordedEntry[]> {
    const { id: terminalId, createdAt } = this.#identity;
    return this.#recordings.readEntries({ ...query, terminalId }, createdAt);
  }

  /** The newest entries, however long the recording is. */
  readWindow(types?: EntryTypes): Promise<RecordingWindow> {
    return this.#recordings.readWindow(this.#identity.id, { ...this.#identity, types });
  }

  readExtent(): Promise<Extent> {
    return this.#recordings.readExtent(this.#identity.id, this.#identity.createdAt);
  }

  /** The newest saved screen at or before a sequence. */
  findSnapshot(atOrBefore: number): Promise<SavedSnapshot | undefined> {
    return this.#recordings.findSnapshot(this.#identity.id, atOrBefore, this.#identity.createdAt);
  }

  /** Saves a screen, to draw later ones from it. */
  async saveSnapshot(snapshot: SavedSnapshot): Promise<void> {
    // What was drawn of one terminal must not be kept for another.
    await this.readExtent();
    await this.#recordings.saveSnapshot(this.#identity.id, snapshot);
  }
}

export interface RecordingOptions {
  /** Waits while the disk is full or broken or the recorder is gone, so that not a byte is missing; otherwise the program goes on and a gap says what is missing. */
  readonly strict?: boolean;
  /** How much of what is typed is recorded; `full` when absent. */
  readonly inputRecording?: InputRecording;
}

/** A moment by both clocks. */
export interface Moment {
  /** Unix ms. */
  readonly at: number;
  readonly elapsedMs: number;
}

/** What a recording needs of its surroundings. */
export interface RecordingContext {
  readonly recorder: RecorderClient;
  /** Milliseconds of all time before, of a recording that goes on. */
  readonly elapsedMs: number;
  /** Says that something was committed: this entry of so many bytes, or a seal. */
  changed(id: TerminalId, entry?: CommittedEntry): void;
  read(query: EntryQuery): Promise<RecordedEntry[]>;
}

/** What a recording is bounded by. */
export interface CommittedEntry {
  readonly sequence: number;
  readonly byteCount: number;
}

/** What is read at once. */
const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 1024 * 1024;

/** The Recording of one Terminal, to append to and to read back; what is appended has a sequence once it is committed. */
export class Recording {
  readonly terminalId: TerminalId;
  readonly #context: RecordingContext;
  readonly #strict: boolean;
  readonly #redactor: InputRedactor;
  readonly #startedAt = performance.now();

  constructor(terminalId: TerminalId, context: RecordingContext, options: RecordingOptions = {}) {
    this.terminalId = terminalId;
    this.#context = context;
    this.#strict = options.strict ?? false;
    this.#redactor = new InputRedactor(options.inputRecording ?? "full");
  }

  /** Appends a fact that happened now; the entry has the fact's bytes, which are not to be touched until then. */
  append(fact: Fact): Promise<RecordedEntry> {
    return this.appendAt(fact, this.#now());
  }

  /** Appends a fact of another time, such as one from a file. */
  async appendAt(fact: Fact, { at, elapsedMs }: Moment): Promise<RecordedEntry> {
    const { terminalId } = this;
    const columns = encodeFact(fact);
    const done = await this.#context.recorder.write({
      kind: "entry",
      ...columns,
      terminalId,
      at: requireWholeMs(at, "at"),
      elapsedMs: requireWholeMs(elapsedMs, "elapsedMs"),
      strict: this.#strict,
    });
    const { count: sequence, data } = done;
    this.#context.changed(terminalId, { sequence, byteCount: data?.byteLength ?? 0 });
    const occurredAt = new Date(at).toISOString();
    const place = { terminalId, sequence, elapsedMs: done.elapsedMs, occurredAt };
    const bytes = data === null ? {} : { data };
    // The fact with its bytes given back and the place it got is an entry of the fact's type.
    return { id: entryIdOf(terminalId, sequence), ...place, ...fact, ...bytes } as RecordedEntry;
  }

  /** Whether what is typed is recorded, where it is no secret. */
  get recordsInput(): boolean {
    return this.#redactor.keepsBytes;
  }

  /** Resolves the next time that recordings can be written again. */
  get recovered(): Promise<void> {
    return this.#context.recorder.recovered;
  }

  /** Records input as far as its policy says; a secret leaves no byte. */
  async appendInput(input: InputChunk): Promise<RecordedEntry[]> {
    return Promise.all(this.#redactor.take(input).map((fact) => this.append(fact)));
  }

  /** Records what was typed and not ended, because nothing more will be typed. */
  async flushInput(): Promise<RecordedEntry[]> {
    return Promise.all(this.#redactor.flush().map((fact) => this.append(fact)));
  }

  /** Entries after a sequence, oldest first and as many as fit; at least one unless there is none. */
  async readAfter(sequence: number): Promise<RecordedEntry[]> {
    const page = { limit: PAGE_ENTRIES, maxBytes: PAGE_BYTES };
    return this.#context.read({ terminalId: this.terminalId, after: sequence, ...page });
  }

  /** Closes the recording: nothing can be appended any more, and changes of it will be noticed. What was typed and not flushed before stands last. */
  async seal(): Promise<void> {
    const { terminalId } = this;
    const rest = this.flushInput();
    const { at } = this.#now();
    await Promise.all([rest, this.#context.recorder.write({ kind: "seal", terminalId, at })]);
    this.#context.changed(terminalId);
  }

  #now(): Moment {
    const elapsed = this.#context.elapsedMs + performance.now() - this.#startedAt;
    return { at: Date.now(), elapsedMs: Math.round(elapsed) };
  }
}

/** The latest time that a timestamp can spell. */
const MAX_TIME_MS = Date.UTC(9999, 11, 31);

function requireWholeMs(value: number, field: string): number {
  if (Number.isSafeInteger(value) && value >= 0 && value <= MAX_TIME_MS) return value;
  throw new NacreError("invalid_argument", `${field}: must be whole milliseconds, not ${value}`, {
    field,
  });
}
