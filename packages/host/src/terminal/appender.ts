import { NacreError } from "@nacre/contracts";
import type { Fact, RecordedEntry } from "../recording/recorded-entry.ts";
import type { Recording } from "../recording/recording.ts";
import type { TypedInput } from "../recording/redact.ts";
import type { Backlog } from "./backlog.ts";

/** An entry that is committed, with what viewers are shown of it where it is output. */
export interface Recorded {
  readonly entry: RecordedEntry;
  /** The output without markers, its numbers and strings bounded. */
  readonly view?: Uint8Array<ArrayBuffer> | undefined;
}

/** A fact on its way, with the view of its output where that differs from it. */
export interface Appended {
  readonly fact: Fact;
  /** Absent when the view is the data itself. */
  readonly view?: Uint8Array<ArrayBuffer> | undefined;
}

/** What an appender needs. */
export interface AppenderParts {
  readonly recording: Recording;
  readonly backlog: Backlog;
  /** Is told of every entry, in order of sequence. */
  readonly handleRecorded: (recorded: Recorded) => void;
}

/** Appends the facts of one Terminal and tells of every entry in order of sequence, whoever caused it. */
export class Appender {
  readonly #recording: Recording;
  readonly #backlog: Backlog;
  readonly #handleRecorded: (recorded: Recorded) => void;
  /** Entries whose predecessors are not here yet. */
  readonly #early = new Map<number, Recorded>();
  #lastSequence = 0;
  #waitingBytes = 0;
  #isFinished = false;
  #wake: (() => void) | undefined;

  constructor({ recording, backlog, handleRecorded }: AppenderParts) {
    this.#recording = recording;
    this.#backlog = backlog;
    this.#handleRecorded = handleRecorded;
  }

  /** The newest entry that was told of. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Appends a fact; resolves when its entry is committed and everybody was told. */
  async append({ fact, view }: Appended): Promise<RecordedEntry> {
    this.#requireOpen();
    const byteCount = sizeOf(fact);
    this.#waitingBytes += byteCount;
    this.#backlog.add(byteCount);
    try {
      const entry = await this.#recording.append(fact);
      this.insert({ entry, view: view ?? dataOf(entry) });
      return entry;
    } finally {
      this.#waitingBytes -= byteCount;
      this.#backlog.remove(byteCount);
      this.#wake?.();
    }
  }

  /** Appends the last fact there will be: what others append from now on is refused. */
  finish(fact: Fact): Promise<RecordedEntry> {
    const last = this.append({ fact });
    this.#isFinished = true;
    return last;
  }

  /** Appends what may be known of input. */
  async appendInput(input: TypedInput): Promise<void> {
    this.#requireOpen();
    for (const entry of await this.#recording.appendInput(input)) this.insert({ entry });
  }

  /** Takes an entry that somebody else appended, such as a gap. */
  insert(recorded: Recorded): void {
    this.#early.set(recorded.entry.sequence, recorded);
    for (;;) {
      const next = this.#early.get(this.#lastSequence + 1);
      if (!next) return;
      this.#early.delete(next.entry.sequence);
      this.#lastSequence = next.entry.sequence;
      this.#handleRecorded(next);
    }
  }

  /** Resolves once there is room for more to wait: the only thing that may slow the program. */
  async room(): Promise<void> {
    while (this.#backlog.isFull(this.#waitingBytes)) {
      await this.#backlog.turn((wake) => {
        this.#wake = wake;
      });
    }
  }

  /** Closes the recording. */
  seal(): Promise<void> {
    return this.#recording.seal();
  }

  #requireOpen(): void {
    if (!this.#isFinished) return;
    const { terminalId } = this.#recording;
    throw new NacreError("terminal_exited", `${terminalId} has ended, nothing can follow`);
  }
}

const sizeOf = (fact: Fact): number =>
  fact.type === "output" || fact.type === "input" ? (fact.data?.byteLength ?? 0) : 0;

const dataOf = (entry: RecordedEntry): Uint8Array<ArrayBuffer> | undefined =>
  entry.type === "output" ? entry.data : undefined;
