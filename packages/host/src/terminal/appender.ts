import { NacreError } from "@nacre/contracts";
import { MAX_DEFERRED_BYTES, WRITE_OVERHEAD_BYTES } from "../recording/deferred-writes.ts";
import type { Fact, RecordedEntry } from "../recording/recorded-entry.ts";
import type { Recording } from "../recording/recording.ts";
import type { InputChunk } from "../recording/input-redactor.ts";
import { EmulatorInputFilter } from "../shell/emulator-input-filter.ts";
import { stripMarkers } from "../shell/strip-markers.ts";

/** Pending writes of all terminals: a key pressed now is recorded after them. */
const MAX_TOTAL_BYTES = 512 * 1024;

/** Pending writes of one terminal; beyond this its PTY is not read and its program waits. */
const MAX_OWN_BYTES = 256 * 1024;

/** A terminal below this is somebody typing; it does not queue behind floods. */
const FREE_BYTES = 16 * 1024;

/** With this much waiting everybody waits, since a recorder that cannot write holds no more than so much; the rest is for what is read already. */
const MAX_FREE_TOTAL_BYTES = MAX_DEFERRED_BYTES / 2;

/** What a fact with so many bytes counts for. */
export const weighWrite = (byteCount: number): number => byteCount + WRITE_OVERHEAD_BYTES;

/** Pending writes of all terminals of a host: floods take turns, so that typing does not queue behind all of them. */
export class Backlog {
  /** Those who wait, in the order of their coming. */
  readonly #waiting = new Set<() => void>();
  #totalBytes = 0;

  /** Bytes were handed to the recorder. */
  add(byteCount: number): void {
    this.#totalBytes += byteCount;
  }

  /** They are committed, or given up. */
  remove(byteCount: number): void {
    this.#totalBytes -= byteCount;
    // Where nothing waits any more, nothing else would wake them.
    if (this.#totalBytes === 0) for (const wake of this.#waiting) wake();
    if (this.#totalBytes >= MAX_TOTAL_BYTES) return;
    const [first] = this.#waiting;
    first?.();
  }

  /** Whether a terminal with this much waiting has to wait before it reads more. */
  isFull(ownBytes: number): boolean {
    if (ownBytes <= FREE_BYTES) return this.#totalBytes > MAX_FREE_TOTAL_BYTES;
    return ownBytes > MAX_OWN_BYTES || this.#totalBytes > MAX_TOTAL_BYTES;
  }

  /** Resolves when it may be this terminal's turn again, or when it wakes itself through what `register` is given. */
  async turn(register: (wake: () => void) => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    register(resolve);
    await promise;
    this.#waiting.delete(resolve);
  }
}

/** Recreates the views of recorded entries, equal to those of the live output. */
export class EntryViews {
  readonly #output = new EmulatorInputFilter();
  /** Standard error, where it comes apart, is text of its own. */
  readonly #error = new EmulatorInputFilter();

  of(entry: RecordedEntry): EntryWithViews {
    if (entry.type !== "output" || entry.data === undefined) return { entry };
    const screen = entry.stream === "stderr" ? this.#error : this.#output;
    return { entry, view: stripMarkers(entry.data), drawn: screen.push(entry.data) };
  }
}

interface EntrySequencerDeps {
  /** Reads recorded entries after a sequence, oldest first; at least one unless there is none. */
  readAfter(sequence: number): Promise<readonly RecordedEntry[]>;
  /** Is told of every entry, in order of sequence. */
  readonly handleRecorded: (recorded: EntryWithViews) => void;
}

/** More entries than this are never committed without anybody being told: a terminal has less on its way. */
const MAX_UNDELIVERED_ENTRIES = 1000;

interface OutOfOrderEntry {
  readonly recorded: EntryWithViews;
  /** Appends made after this one come later in the recording. */
  readonly turn: number;
}

/**
 * Delivers the entries of one terminal in order of sequence, in whatever order they become known; reads entries that
 * were committed without notice.
 */
export class EntrySequencer {
  readonly #deps: EntrySequencerDeps;
  /** Entries whose predecessors are not here yet. */
  readonly #outOfOrder = new Map<number, OutOfOrderEntry>();
  /** The appends whose outcome is not known, oldest first. */
  readonly #open = new Set<number>();
  readonly #waiting = new Map<number, () => void>();
  #lastTurn = 0;
  #lastSequence: number;
  /** What is to be read next: everything that is missing before this sequence. */
  #wantedBefore = 0;
  #reading: Promise<void> | undefined;

  /** Everybody knows what is up to the sequence given here. */
  constructor(deps: EntrySequencerDeps, lastSequence = 0) {
    this.#deps = deps;
    this.#lastSequence = lastSequence;
  }

  /** The newest entry that was told of. */
  get lastSequence(): number {
    return this.#lastSequence;
  }

  /** Whether the outcome of an append is not known. */
  get hasOpen(): boolean {
    return this.#open.size > 0;
  }

  /** Begins an append: what is appended later is told of later. */
  reserve(): number {
    this.#open.add(++this.#lastTurn);
    return this.#lastTurn;
  }

  /** Ends an append whose entries were inserted, or that failed. */
  settle(turn: number): void {
    this.#open.delete(turn);
    this.#fillHole();
  }

  /** Takes an entry that the append of this turn brought, or somebody else. */
  insert(recorded: EntryWithViews, turn = this.#lastTurn): void {
    const { sequence } = recorded.entry;
    // It may have been read before it came by itself.
    if (sequence <= this.#lastSequence) return;
    this.#outOfOrder.set(sequence, { recorded, turn });
    this.#deliverNext();
    this.#fillHole();
  }

  /** Resolves once everybody was told of an entry that was inserted. */
  async delivered(sequence: number): Promise<void> {
    if (sequence <= this.#lastSequence) return;
    await new Promise<void>((resolve) => this.#waiting.set(sequence, resolve));
  }

  /** Reads what may have been committed behind the newest entry; resolves once it was told of. */
  catchUp(): Promise<void> {
    return this.#read(this.#lastSequence + 1 + MAX_UNDELIVERED_ENTRIES);
  }

  #deliverNext(): void {
    for (;;) {
      const next = this.#outOfOrder.get(this.#lastSequence + 1);
      if (!next) return;
      const { sequence } = next.recorded.entry;
      this.#outOfOrder.delete(sequence);
      this.#lastSequence = sequence;
      this.#deps.handleRecorded(next.recorded);
      this.#waiting.get(sequence)?.();
      this.#waiting.delete(sequence);
    }
  }

  /** Reads what is missing where no append that is open can bring it. */
  #fillHole(): void {
    if (this.#outOfOrder.size === 0) return;
    const settled = this.#findSettled();
    if (settled > 0) void this.#read(settled);
  }

  /** The last early entry before which nothing comes by itself any more: the recorder settles appends in their order. */
  #findSettled(): number {
    const [oldest = Number.POSITIVE_INFINITY] = this.#open;
    let settled = 0;
    for (const [sequence, { turn }] of this.#outOfOrder) {
      if (turn < oldest) settled = Math.max(settled, sequence);
    }
    return settled;
  }

  /** Resolves when a reading that begins from now on has ended. */
  #read(before: number): Promise<void> {
    this.#wantedBefore = Math.max(this.#wantedBefore, before);
    this.#reading ??= this.#readWanted();
    return this.#reading;
  }

  async #readWanted(): Promise<void> {
    try {
      for (;;) {
        const before = Math.max(this.#wantedBefore, this.#findSettled());
        this.#wantedBefore = 0;
        if (before <= this.#lastSequence + 1) return;
        await this.#readMissing(before);
        this.#skipUnreadable(before);
      }
    } finally {
      this.#reading = undefined;
    }
  }

  async #readMissing(before: number): Promise<void> {
    const views = new EntryViews();
    for (let after = this.#lastSequence; after < before - 1;) {
      // A recording that cannot be read must not hold up its followers.
      const page = await this.#deps.readAfter(after).catch(() => []);
      const missing = page.filter(({ sequence }) => sequence < before);
      for (const recorded of missing.map((entry) => views.of(entry))) {
        const { sequence } = recorded.entry;
        const isKnown = sequence <= this.#lastSequence || this.#outOfOrder.has(sequence);
        if (!isKnown) this.#outOfOrder.set(sequence, { recorded, turn: 0 });
      }
      this.#deliverNext();
      const last = missing.at(-1);
      if (!last) return;
      after = last.sequence;
    }
  }

  /** Goes on behind what could not be read. */
  #skipUnreadable(before: number): void {
    const settled = Math.min(before, this.#findSettled());
    for (const sequence of [...this.#outOfOrder.keys()].toSorted((a, b) => a - b)) {
      if (sequence > settled) return;
      if (sequence <= this.#lastSequence) continue;
      this.#lastSequence = sequence - 1;
      this.#deliverNext();
    }
  }
}

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

/** Appends the facts of one terminal, and delivers every entry in order of sequence, whoever caused it. */
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

  constructor(deps: AppenderDeps) {
    const { recording, backlog, handleRecorded, lastSequence } = deps;
    this.#recording = recording;
    this.#backlog = backlog;
    this.#handleWaiting = deps.handleWaiting;
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

  /** Resolves when the entry is committed and it and all before it were delivered. */
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
      // Writes of a crashed recorder, or in doubt, may be committed nevertheless.
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
