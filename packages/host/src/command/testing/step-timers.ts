import { setImmediate as nextTurn } from "node:timers/promises";
import type { WatchTimers } from "../input-watch.ts";

/** Time that goes on only when a test says so. */
export class StepTimers implements WatchTimers {
  /** How many timers were ever set. */
  made = 0;
  readonly #waiting = new Map<object, { atMs: number; callback: () => void }>();
  #nowMs = 0;

  get waiting(): number {
    return this.#waiting.size;
  }

  now(): number {
    return this.#nowMs;
  }

  after(delayMs: number, callback: () => void): Disposable {
    this.made++;
    const timer = { [Symbol.dispose]: () => void this.#waiting.delete(timer) };
    this.#waiting.set(timer, { atMs: this.#nowMs + delayMs, callback });
    return timer;
  }

  /** Lets time pass, with a turn of the event loop after each timer. */
  async advance(ms: number): Promise<void> {
    const endMs = this.#nowMs + ms;
    for (;;) {
      await nextTurn();
      const next = [...this.#waiting].toSorted(([, a], [, b]) => a.atMs - b.atMs)[0];
      if (!next || next[1].atMs > endMs) break;
      this.#waiting.delete(next[0]);
      this.#nowMs = next[1].atMs;
      next[1].callback();
    }
    this.#nowMs = endMs;
  }
}
