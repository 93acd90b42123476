import type { RecordedEntry } from "../recording/recorded-entry.ts";
import type { EntryWithViews } from "./appender.ts";
import { EntryViews } from "./views.ts";

/** What an order needs. */
export interface EntrySequencerDeps {
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

/** Tells of the entries of one Terminal in order of sequence, in whatever order they become known; what was committed without anybody being told is read. */
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
  constructor(parts: EntrySequencerDeps, lastSequence = 0) {
    this.#deps = parts;
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
