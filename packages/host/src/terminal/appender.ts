import { NacreError } from "@nacre/contracts";
import type { Fact, RecordedEntry } from "../recording/recorded-entry.ts";
import type { Recording } from "../recording/recording.ts";
import type { InputChunk } from "../recording/redact.ts";
import { type Backlog, weighWrite } from "./backlog.ts";
import { EntrySequencer } from "./entry-order.ts";

/** An entry that is committed, with what viewers are shown of it where it is output. */
export interface EntryWithViews {
  readonly entry: RecordedEntry;
  /** The output without markers. */
  readonly view?: Uint8Array<ArrayBuffer> | undefined;
  /** The output as the host draws it. */
  readonly drawn?: Uint8Array<ArrayBuffer> | undefined;
}

/** A fact on its way, with what is shown and drawn of its output where that differs from it. */
export interface PendingAppend extends Pick<EntryWithViews, "view" | "drawn"> {
  readonly fact: Fact;
}

/** What an appender needs. */
export interface AppenderDeps {
  readonly recording: Recording;
  readonly backlog: Backlog;
  /** Is told of every entry, in order of sequence. */
  readonly handleRecorded: (recorded: EntryWithViews) => void;
  /** The entry behind which it goes on, where another host began. */
  readonly lastSequence?: number | undefined;
  /** Something begins to wait for the recorder, where nothing did before. */
  readonly handleWaiting?: (() => void) | undefined;
}

/** Appends the facts of one Terminal and tells of every entry in order of sequence, whoever caused it. */
export class Appender {
  readonly #recording: Recording;
  readonly #backlog: Backlog;
  readonly #order: EntrySequencer;
  readonly #handleWaiting: (() => void) | undefined;
  #waitingBytes = 0;
  #isFinished = false;
  #isAbandoned = false;
  #isRecheckPending = false;
  #follow: ((entry: RecordedEntry) => void) | undefined;
  #wake: (() => void) | undefined;

  constructor(parts: AppenderDeps) {
    const { recording, backlog, handleRecorded, lastSequence } = parts;
    this.#recording = recording;
    this.#backlog = backlog;
    this.#handleWaiting = parts.handleWaiting;
    const readAfter = (sequence: number) => recording.readAfter(sequence);
    const tell = (recorded: EntryWithViews): void => {
      handleRecorded(recorded);
      this.#follow?.(recorded.entry);
    };
    this.#order = new EntrySequencer({ readAfter, handleRecorded: tell }, lastSequence);
  }

  /** Calls with every entry that is told of, after everybody else. */
  follow(handleEntry: (entry: RecordedEntry) => void): void {
    this.#follow = handleEntry;
  }

  /** The newest entry that was told of. */
  get lastSequence(): number {
    return this.#order.lastSequence;
  }

  /** Whether something is not recorded yet, or was given up since the recorder last could write. */
  get isWaiting(): boolean {
    return this.#order.hasOpen || this.#isRecheckPending;
  }

  /** Appends a fact; resolves when its entry is committed and everybody was told of it and of all before. */
  async append({ fact, ...shown }: PendingAppend): Promise<RecordedEntry> {
    this.#requireOpen();
    const byteCount = weighFact(fact);
    this.#waitingBytes += byteCount;
    this.#backlog.add(byteCount);
    try {
      const appended = this.#recording.append(fact);
      await this.#deliver(
        appended.then((entry) => [entry]),
        shown,
      );
      return await appended;
    } finally {
      this.#waitingBytes -= byteCount;
      this.#backlog.remove(byteCount);
      this.#wake?.();
    }
  }

  /** Appends what was typed and not ended, and the last fact there will be: what others append from now on is refused. */
  async finish(fact: Fact): Promise<RecordedEntry> {
    this.#requireOpen();
    const rest = this.#deliver(this.#recording.flushInput());
    const last = this.append({ fact });
    this.#isFinished = true;
    // Whatever becomes of one of them, the other is told of.
    await Promise.allSettled([rest, last]);
    await rest;
    return last;
  }

  /** Records what was typed and not ended, because nothing more is typed here. */
  async flushInput(): Promise<void> {
    await this.#deliver(this.#recording.flushInput());
  }

  /** Whether input is recorded, where it is no secret. */
  get recordsInput(): boolean {
    return this.#recording.recordsInput;
  }

  /** Appends what may be known of input. */
  async appendInput(input: InputChunk): Promise<void> {
    this.#requireOpen();
    await this.#deliver(this.#recording.appendInput(input));
  }

  /** Takes an entry that somebody else appended, such as a gap. */
  insert(recorded: EntryWithViews): void {
    this.#order.insert(recorded);
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
  async seal(): Promise<void> {
    if (!this.#isAbandoned) await this.#recording.seal();
  }

  /** Appends nothing from now on: the recording is removed. */
  abandon(): void {
    this.#isFinished = true;
    this.#isAbandoned = true;
  }

  /** Tells of what an append brings in its turn, which begins now; resolves when everybody was told. */
  async #deliver(
    appended: Promise<readonly RecordedEntry[]>,
    shown: Pick<EntryWithViews, "view" | "drawn"> = {},
  ): Promise<void> {
    const isFirst = !this.isWaiting;
    const turn = this.#order.reserve();
    if (isFirst) this.#handleWaiting?.();
    try {
      const entries = await appended;
      for (const entry of entries) {
        const data = dataOf(entry);
        this.#order.insert({ entry, view: shown.view ?? data, drawn: shown.drawn ?? data }, turn);
      }
      this.#order.settle(turn);
      const last = entries.at(-1);
      if (last) await this.#order.delivered(last.sequence);
    } catch (error) {
      this.#order.settle(turn);
      // What a recorder that is gone was given, or could not judge, may be committed nevertheless.
      const code = error instanceof NacreError ? error.code : undefined;
      if (code === "unavailable") await this.#order.catchUp();
      else if (code === "recording_blocked") this.#recheckOnRecovery();
      throw error;
    }
  }

  /** Looks for what was given up once the disk is well again; nothing that follows might tell of it. */
  #recheckOnRecovery(): void {
    if (this.#isRecheckPending) return;
    this.#isRecheckPending = true;
    void this.#recording.recovered.then(() => {
      this.#isRecheckPending = false;
      return this.#order.catchUp();
    });
  }

  #requireOpen(): void {
    if (!this.#isFinished) return;
    const { terminalId } = this.#recording;
    throw new NacreError("terminal_exited", `${terminalId} has ended, nothing can follow`);
  }
}

const weighFact = (fact: Fact): number =>
  weighWrite("data" in fact ? (fact.data?.byteLength ?? 0) : 0);

const dataOf = (entry: RecordedEntry): Uint8Array<ArrayBuffer> | undefined =>
  entry.type === "output" ? entry.data : undefined;
