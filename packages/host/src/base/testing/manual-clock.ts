import { setImmediate as nextTurn } from "node:timers/promises";
import type { Clock } from "../clock.ts";

interface Timer {
  readonly at: number;
  readonly run: () => void;
}

export class ManualClock implements Clock {
  timersSet = 0;
  #elapsedMs = 0;
  #wallMs = Date.parse("2026-01-01T00:00:00.000Z");
  readonly #timers = new Set<Timer>();

  get timersWaiting(): number {
    return this.#timers.size;
  }

  now(): number {
    return this.#wallMs + this.#elapsedMs;
  }

  monotonicMs(): number {
    return this.#elapsedMs;
  }

  /** Sets the wall clock; no time passes. */
  jump(ms: number): void {
    this.#wallMs += ms;
  }

  after(delayMs: number, run: () => void): () => void {
    const timer = { at: this.#elapsedMs + delayMs, run };
    this.timersSet += 1;
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  /** Runs due timers in order. */
  advance(ms: number): void {
    const end = this.#elapsedMs + ms;
    while (this.#runNext(end)) continue;
    this.#elapsedMs = end;
  }

  /** The same with an event-loop turn before each timer and at the end. */
  async advanceInTurns(ms: number): Promise<void> {
    const end = this.#elapsedMs + ms;
    do await nextTurn();
    while (this.#runNext(end));
    this.#elapsedMs = end;
  }

  #runNext(end: number): boolean {
    const [next] = [...this.#timers].toSorted((one, other) => one.at - other.at);
    if (next === undefined || next.at > end) return false;
    this.#timers.delete(next);
    this.#elapsedMs = next.at;
    next.run();
    return true;
  }
}
