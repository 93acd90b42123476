import { type Clock, SYSTEM_CLOCK } from "../base/clock.ts";

const WINDOW_MS = 60_000;

/** A person mistypes and a stale page retries; more is guessing, and each further answer is delayed. */
export const FREE_FAILURES = 10;

/** Beyond this a source gets 429. */
export const MAX_FAILURES = 60;

/** Longer delays would hold sockets for whoever guesses. */
export const MAX_DELAY_MS = 1000;

/** Added per failure beyond the free ones. */
const DELAY_STEP_MS = 100;

/** Bounds the memory; the longest silent source is forgotten. */
const MAX_SOURCES = 1024;

/** A delay, or a 429. */
export interface Penalty {
  readonly delayMs: number;
  readonly isOver: boolean;
}

export interface ThrottleOptions {
  readonly clock?: Clock;
  readonly free?: number;
  readonly most?: number;
}

/**
 * Counts failures per source. Only asked about failures, so a valid credential is never delayed by others' wrong ones.
 */
export class FailedAuthLimiter {
  readonly #clock: Clock;
  readonly #free: number;
  readonly #most: number;
  /** Times of failures, oldest first; sources in order of their last failure. */
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

  fail(source: string): Penalty {
    const times = this.#recent(source);
    times.push(this.#clock.monotonicMs());
    // Beyond the limit no exact count is needed.
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

  isSpent(source: string): boolean {
    return this.#recent(source).length >= this.#most;
  }

  #recent(source: string): number[] {
    const since = this.#clock.monotonicMs() - WINDOW_MS;
    return (this.#failures.get(source) ?? []).filter((time) => time > since);
  }
}
