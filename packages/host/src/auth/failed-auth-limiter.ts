import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";

/** Failures are counted over this time. */
const WINDOW_MS = 60_000;

/** A person mistypes and a stale page retries; more than this is guessing, and each further one is answered late. */
export const FREE_FAILURES = 10;

/** Beyond this many failures a source is told to stop. */
export const MAX_FAILURES = 60;

/** The longest an answer is held back: longer would hold sockets for whoever guesses. */
export const MAX_DELAY_MS = 1000;

/** How much later each failure beyond the free ones is answered than the one before. */
const DELAY_STEP_MS = 100;

/** Sources are remembered up to this many, so that many addresses cannot fill the memory; the longest silent is forgotten. */
const MAX_SOURCES = 1024;

/** What a failure is answered with: late, or with the word to stop. */
export interface Penalty {
  readonly delayMs: number;
  readonly isOver: boolean;
}

export interface ThrottleOptions {
  readonly clock?: Clock;
  readonly free?: number;
  readonly most?: number;
}

/** Counts failures per source. It is asked about failures only, so a right credential is never slowed by others' wrong ones. */
export class FailedAuthLimiter {
  readonly #clock: Clock;
  readonly #free: number;
  readonly #most: number;
  /** The times of the last failures, oldest first; sources in the order of their last failure. */
  readonly #failures = new Map<string, number[]>();

  constructor({
    clock = SYSTEM_CLOCK,
    free = FREE_FAILURES,
    most = MAX_FAILURES,
  }: ThrottleOptions = {}) {
    this.#clock = clock;
    this.#free = free;
    this.#most = most;
  }

  /** Notes one failure and tells how to answer it. */
  fail(source: string): Penalty {
    const times = this.#recent(source);
    times.push(this.#clock.monotonicMs());
    // What is over the limit needs no exact count.
    if (times.length > this.#most + 1) times.shift();
    this.#failures.delete(source);
    this.#failures.set(source, times);
    const [oldest] = this.#failures.keys();
    if (oldest !== undefined && this.#failures.size > MAX_SOURCES) this.#failures.delete(oldest);
    const beyond = Math.max(0, times.length - this.#free);
    return {
      delayMs: Math.min(beyond * DELAY_STEP_MS, MAX_DELAY_MS),
      isOver: times.length > this.#most,
    };
  }

  /** Whether the source has as many failures behind it as it may have. */
  isSpent(source: string): boolean {
    return this.#recent(source).length >= this.#most;
  }

  #recent(source: string): number[] {
    const since = this.#clock.monotonicMs() - WINDOW_MS;
    return (this.#failures.get(source) ?? []).filter((time) => time > since);
  }
}
