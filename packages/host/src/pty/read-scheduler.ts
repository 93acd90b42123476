import { availableParallelism } from "node:os";
import { MERGE_BYTES } from "./output-queue.ts";

/** How many terminals that flood are read at the same time: the programs of the others wait, and want no processor. */
const MAX_READING = Math.max(2, availableParallelism());

/** After so much, a whole chunk, it is the next one's turn. A program that gets no processor keeps its turn, or all of them would want one. */
const TURN_BYTES = MERGE_BYTES;

/** A program that stopped in the middle of a flood keeps the others waiting for no longer than this. */
const MAX_TURN_MS = 100;

/** What a terminal may write in a second without being a flood: some pages, which wait for nobody. */
const FREE_BYTES = 16 * 1024;
const FREE_MS = 1000;

/** Who wrote no more than this in a second may be at its end, and goes before those who flood all the time. */
const NEWCOMER_BYTES = 4 * FREE_BYTES;

/** Floods wait for so long after a key was pressed: it is shown, and maybe answered, within this time. */
const HOLD_MS = 10;

/** Who types without a pause does not stop floods for ever: they have a turn after this, and for at least so long. */
const MAX_HOLD_MS = 100;
const MIN_FLOW_MS = 10;

/** How often the kernel is asked for more in one turn of the event loop, by all terminals together: about a millisecond. */
const READS_PER_LOOP = 16;

/** Lets terminals that flood take turns, so that a hundred of them do not hold up who types. */
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

  /** Whether a flood may go on; if not, it is resumed when it may. */
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

  /** Those who read find out at their next read that they have to wait again. */
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

/** One for all terminals of this process: they share its event loop. */
const READ_SCHEDULER = new ReadScheduler();

/** One terminal among those that may flood. */
export class ScheduledRead {
  readonly #turns: ReadScheduler;
  readonly #resume: () => void;
  #sinceMs = Number.NEGATIVE_INFINITY;
  /** What it read since then, and in its turn. */
  #bytes = 0;
  #turnBytes = 0;

  /** `resume` lets it read on, and does nothing if it does so. */
  constructor(resume: () => void, turns = READ_SCHEDULER) {
    this.#turns = turns;
    this.#resume = resume;
  }

  /** How often it may ask for more behind a large read, which shows that it floods. */
  get maxExtraReads(): number {
    return this.#turns.maxExtraReads;
  }

  get turnBytes(): number {
    return this.#turnBytes;
  }

  /** Whether it will be resumed when it is its turn. */
  get isWaiting(): boolean {
    return this.#turns.isWaiting(this);
  }

  /** It read so many bytes: whether it may go on now. */
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

  /** Somebody typed here: what comes of it is read before any flood. */
  holdOthers(): void {
    this.#turns.hold();
  }

  /** It cannot read at the moment. */
  leave(): void {
    this.#turns.leave(this);
  }
}
