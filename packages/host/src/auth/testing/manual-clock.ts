import type { Clock } from "../clock.ts";

/** A clock that goes only when it is turned. */
export class ManualClock implements Clock {
  #now = Date.parse("2026-01-01T00:00:00.000Z");
  #jumpMs = 0;
  readonly #waiting = new Set<{ readonly at: number; readonly run: () => void }>();

  now(): number {
    return this.#now + this.#jumpMs;
  }

  monotonicMs(): number {
    return this.#now;
  }

  /** Sets the clock on the wall; no time passes. */
  jump(ms: number): void {
    this.#jumpMs += ms;
  }

  after(delayMs: number, run: () => void): () => void {
    const entry = { at: this.#now + delayMs, run };
    this.#waiting.add(entry);
    return () => this.#waiting.delete(entry);
  }

  /** Lets time pass, and what waited for it happen in order. */
  advance(ms: number): void {
    const end = this.#now + ms;
    for (;;) {
      const [next] = [...this.#waiting]
        .filter(({ at }) => at <= end)
        .toSorted((one, other) => one.at - other.at);
      if (next === undefined) break;
      this.#waiting.delete(next);
      this.#now = next.at;
      next.run();
    }
    this.#now = end;
  }

  get isIdle(): boolean {
    return this.#waiting.size === 0;
  }
}
