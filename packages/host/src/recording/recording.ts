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

/** One life of an id: after a recording is deleted, its id may name another terminal. */
export type TerminalIdentity = Pick<TerminalStorage, "id" | "createdAt">;

/** Reads one terminal's recording; `terminal_not_found` once it was deleted, even if its id is in use again. */
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

  get state(): "ok" | "degraded" {
    return this.#recordings.state.state;
  }

  readEntries(query: Omit<EntryQuery, "terminalId">): Promise<RecordedEntry[]> {
    const { id: terminalId, createdAt } = this.#identity;
    return this.#recordings.readEntries({ ...query, terminalId }, createdAt);
  }

  readWindow(types?: EntryTypes): Promise<RecordingWindow> {
    return this.#recordings.readWindow(this.#identity.id, { ...this.#identity, types });
  }

  readExtent(): Promise<Extent> {
    return this.#recordings.readExtent(this.#identity.id, this.#identity.createdAt);
  }

  findSnapshot(atOrBefore: number): Promise<SavedSnapshot | undefined> {
    return this.#recordings.findSnapshot(this.#identity.id, atOrBefore, this.#identity.createdAt);
  }

  async saveSnapshot(snapshot: SavedSnapshot): Promise<void> {
    // A screen of one terminal must not be kept for another.
    await this.readExtent();
    await this.#recordings.saveSnapshot(this.#identity.id, snapshot);
  }
}

export interface RecordingOptions {
  /**
   * Waits while the disk is full or broken or the recorder is gone, so that not a byte is missing; otherwise the
   * program goes on and a gap records the loss.
   */
  readonly strict?: boolean;
  /** Default `full`. */
  readonly inputRecording?: InputRecording;
}

/** Wall clock and monotonic clock. */
export interface Moment {
  /** Unix ms. */
  readonly at: number;
  readonly elapsedMs: number;
}

export interface RecordingContext {
  readonly recorder: RecorderClient;
  /** Elapsed time before a recording was resumed. */
  readonly elapsedMs: number;
  /** An entry or a seal was committed. */
  changed(id: TerminalId, entry?: CommittedEntry): void;
  read(query: EntryQuery): Promise<RecordedEntry[]>;
}

export interface CommittedEntry {
  readonly sequence: number;
  readonly byteCount: number;
}

const PAGE_ENTRIES = 1000;
const PAGE_BYTES = 1024 * 1024;

/** The recording of one terminal. What is appended has a sequence once it is committed. */
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

  /** The bytes must not be touched until this resolves; the entry returns them. */
  append(fact: Fact): Promise<RecordedEntry> {
    return this.appendAt(fact, this.#now());
  }

  /** With a time of its own, such as from a file. */
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
    // The fact with its bytes returned and its position is an entry of the fact's type.
    return { id: entryIdOf(terminalId, sequence), ...place, ...fact, ...bytes } as RecordedEntry;
  }

  /** Except secrets. */
  get recordsInput(): boolean {
    return this.#redactor.keepsBytes;
  }

  /** Resolves the next time that recordings can be written again. */
  get recovered(): Promise<void> {
    return this.#context.recorder.recovered;
  }

  /** As far as the policy says; a secret leaves no byte. */
  async appendInput(input: InputChunk): Promise<RecordedEntry[]> {
    return Promise.all(this.#redactor.take(input).map((fact) => this.append(fact)));
  }

  /** Records unfinished input, because nothing more will be typed. */
  async flushInput(): Promise<RecordedEntry[]> {
    return Promise.all(this.#redactor.flush().map((fact) => this.append(fact)));
  }

  /** Oldest first, as many as fit; at least one if there is any. */
  async readAfter(sequence: number): Promise<RecordedEntry[]> {
    const page = { limit: PAGE_ENTRIES, maxBytes: PAGE_BYTES };
    return this.#context.read({ terminalId: this.terminalId, after: sequence, ...page });
  }

  /** Closes the recording: nothing can be appended, and changes are detected. Records unflushed input first. */
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

/** The latest time that a timestamp can express. */
const MAX_TIME_MS = Date.UTC(9999, 11, 31);

function requireWholeMs(value: number, field: string): number {
  if (Number.isSafeInteger(value) && value >= 0 && value <= MAX_TIME_MS) return value;
  throw new NacreError("invalid_argument", `${field}: must be whole milliseconds, not ${value}`, {
    field,
  });
}
