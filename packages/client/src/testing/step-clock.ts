import type { Clock } from "../follow.ts";

/** Time that goes on when a test says so; who waits for it is called at once where the test wants that. */
export class StepClock implements Clock {
  #waiting: { readonly delayMs: number; readonly callback: () => void }[] = [];
  /** Calls back for waits up to this long without a step. */
  readonly #skipsUpToMs: number;
  /** Every wait that was skipped. */
  readonly skipped: number[] = [];

  constructor(skipsUpToMs = -1) {
    this.#skipsUpToMs = skipsUpToMs;
  }

  /** How long each of those takes who wait. */
  get waiting(): readonly number[] {
    return this.#waiting.map(({ delayMs }) => delayMs);
  }

  after(delayMs: number, callback: () => void): () => void {
    if (delayMs <= this.#skipsUpToMs) {
      this.skipped.push(delayMs);
      const timer = setImmediate(callback);
      return () => clearImmediate(timer);
    }
    const entry = { delayMs, callback };
    this.#waiting.push(entry);
    return () => {
      this.#waiting = this.#waiting.filter((one) => one !== entry);
    };
  }

  random(): number {
    return 0.5;
  }

  /** Lets everybody who waits now go on. */
  step(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const { callback } of waiting) callback();
  }
}
