import { availableParallelism } from "node:os";
import { MERGE_BYTES } from "./output-queue.ts";

/** How many flooding terminals are read at once: the programs of the others block in write and need no CPU. */
const MAX_READING = Math.max(2, availableParallelism());

/** One chunk per turn. A program without a CPU keeps its turn, or all of them would want one. */
const TURN_BYTES = MERGE_BYTES;

/** A program that pauses in a flood keeps its turn no longer than this. */
const MAX_TURN_MS = 100;

/** Output per second below this is not a flood: some pages. */
const FREE_BYTES = 16 * 1024;
const FREE_MS = 1000;

/** Less than this per second may be about to end, and goes before constant floods. */
const NEWCOMER_BYTES = 4 * FREE_BYTES;

/** Floods pause this long after a key, so that its echo and answer come first. */
const HOLD_MS = 10;

/** Continuous typing does not stop floods for ever: they get a turn after this, for at least as long. */
const MAX_HOLD_MS = 100;
const MIN_FLOW_MS = 10;

/** Extra reads per event-loop turn, shared by all terminals: about a millisecond. */
const READS_PER_LOOP = 16;

/** Round-robin for flooding terminals, so that a hundred of them do not delay typing. */
export class ReadScheduler {
  readonly #reading = new Set<ScheduledRead>();
  readonly #newcomers = new Set<ScheduledRead>();
  readonly #waiting = new Set<ScheduledRead>();
  #timer: NodeJS.Timeout | undefined;
  #heldFromMs = Number.NEGATIVE_INFINITY;
  #heldUntilMs = Number.NEGATIVE_INFINITY;

  get maxExtraReads(): number {
    return Math.floor(READS_PER_LOOP / Math.max(1, this.#reading.size)) - 1;
  }

  hold(): void {
    const nowMs = performance.now();
    if (nowMs >= this.#heldUntilMs + MIN_FLOW_MS) this.#heldFromMs = nowMs;
    this.#heldUntilMs = Math.min(nowMs + HOLD_MS, this.#heldFromMs + MAX_HOLD_MS);
    if (this.#reading.size > 0 && this.#heldMs > 0) this.#pass();
  }

  isWaiting(turn: ScheduledRead): boolean {
    return this.#waiting.has(turn) || this.#newcomers.has(turn);
  }

  /** False: the flood is resumed when its turn comes. */
  take(turn: ScheduledRead, isNewcomer: boolean): boolean {
    const isOver = turn.turnBytes >= TURN_BYTES && this.#isAwaited;
    if (this.#reading.has(turn) && !isOver) return true;
    for (const set of [this.#reading, this.#newcomers, this.#waiting]) set.delete(turn);
    (isNewcomer ? this.#newcomers : this.#waiting).add(turn);
    this.#fill();
    return this.#reading.has(turn);
  }

  leave(turn: ScheduledRead): void {
    this.#newcomers.delete(turn);
    this.#waiting.delete(turn);
    if (this.#reading.delete(turn)) this.#fill();
  }

  get #isAwaited(): boolean {
    return this.#waiting.size + this.#newcomers.size > 0;
  }

  get #heldMs(): number {
    return this.#heldUntilMs - performance.now();
  }

  /** Readers learn at their next read that they have to wait again. */
  #pass(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#reading.clear();
    this.#fill();
  }

  #fill(): void {
    const heldMs = this.#heldMs;
    for (const queue of heldMs > 0 ? [] : [this.#newcomers, this.#waiting]) {
      for (const turn of queue) {
        if (this.#reading.size >= MAX_READING) break;
        queue.delete(turn);
        this.#reading.add(turn);
        turn.begin();
      }
    }
    if (!this.#isAwaited) return;
    this.#timer ??= setTimeout(() => this.#pass(), heldMs > 0 ? Math.ceil(heldMs) : MAX_TURN_MS);
  }
}

/** Shared by the process: all terminals share its event loop. */
const READ_SCHEDULER = new ReadScheduler();

export class ScheduledRead {
  readonly #turns: ReadScheduler;
  readonly #resume: () => void;
  #sinceMs = Number.NEGATIVE_INFINITY;
  /** Read since then, and in its turn. */
  #bytes = 0;
  #turnBytes = 0;

  /** `resume` continues reading; idempotent. */
  constructor(resume: () => void, turns = READ_SCHEDULER) {
    this.#turns = turns;
    this.#resume = resume;
  }

  /** Extra reads after a large one, which indicates a flood. */
  get maxExtraReads(): number {
    return this.#turns.maxExtraReads;
  }

  get turnBytes(): number {
    return this.#turnBytes;
  }

  /** Resumed when its turn comes. */
  get isWaiting(): boolean {
    return this.#turns.isWaiting(this);
  }

  /** Whether it may continue now. */
  note(bytes: number): boolean {
    const nowMs = performance.now();
    if (nowMs - this.#sinceMs > FREE_MS) {
      this.#sinceMs = nowMs;
      this.#bytes = 0;
    }
    this.#bytes += bytes;
    this.#turnBytes += bytes;
    return this.#bytes <= FREE_BYTES || this.#turns.take(this, this.#bytes <= NEWCOMER_BYTES);
  }

  begin(): void {
    this.#turnBytes = 0;
    this.#resume();
  }

  /** Somebody typed here: its output is read before any flood. */
  holdOthers(): void {
    this.#turns.hold();
  }

  /** It cannot read at the moment. */
  leave(): void {
    this.#turns.leave(this);
  }
}
