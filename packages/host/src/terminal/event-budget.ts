/** What events of all terminals may have together in a second: enough for people, and little beside what a terminal can write. */
const BYTES_PER_SECOND = 1024 * 1024;

/** What may be told at once after a quiet time, such as a file that is shown. */
const MAX_SAVED_BYTES = 4 * BYTES_PER_SECOND;

/**
 * How much may still be told (a token bucket). Events are made, and written once for each listener, by the thread that
 * also passes on what people type; without a bound, a flood that somebody listens to would take all its time.
 */
export class EventTokenBucket {
  readonly #now: () => number;
  #leftBytes = MAX_SAVED_BYTES;
  #filledAt: number;

  /** @param now A clock that never jumps, in ms. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
    this.#filledAt = now();
  }

  /** Takes so many bytes; false, and nothing is taken, when they are more than half of what is left: so that a flood leaves room for the small events of others. */
  take(bytes: number): boolean {
    this.#fill();
    if (bytes > this.#leftBytes / 2) return false;
    this.#leftBytes -= bytes;
    return true;
  }

  /** Takes what was more than expected; what follows waits for it. */
  charge(bytes: number): void {
    this.#leftBytes -= bytes;
  }

  #fill(): void {
    const now = this.#now();
    const filled = this.#leftBytes + ((now - this.#filledAt) / 1000) * BYTES_PER_SECOND;
    this.#leftBytes = Math.min(MAX_SAVED_BYTES, filled);
    this.#filledAt = now;
  }
}
