import type { LiveScreen } from "./live-screen.ts";

/** When nobody gets a place for this long because all others are busy, some get one all the same. */
const MAX_WAIT_MS = 1_000;

/** Screens that are parked, or let in beyond the bound, at once. */
const EVICTION_BATCH = 16;

/** Which screens of a thread have an emulator: at most so many, and the one unused for the longest time makes room. */
export class EmulatorPool {
  readonly #max: number;
  readonly #live = new Set<LiveScreen>();
  readonly #waiting = new Set<LiveScreen>();
  #isEvicting = false;
  #overflowTimer: NodeJS.Timeout | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Those with an emulator. */
  get live(): readonly LiveScreen[] {
    return [...this.#live];
  }

  /** Gives a screen a place, by waking it, as soon as there is one. */
  acquire(screen: LiveScreen): void {
    this.#waiting.add(screen);
    this.handleIdle();
  }

  /** Takes a place back, or the wish for one. */
  release(screen: LiveScreen): void {
    this.#waiting.delete(screen);
    if (this.#live.delete(screen)) this.handleIdle();
  }

  /** Something has changed: a screen may have time to make room. */
  handleIdle(): void {
    this.#admit(this.#max);
    if (this.#missing > 0) void this.#evict();
    if (this.#waiting.size > 0)
      this.#overflowTimer ??= setTimeout(
        () => this.#admit(this.#live.size + EVICTION_BATCH),
        MAX_WAIT_MS,
      ).unref();
  }

  /** Places that somebody should give back. */
  get #missing(): number {
    return this.#waiting.size + Math.max(0, this.#live.size - this.#max);
  }

  #admit(max: number): void {
    for (const screen of this.#waiting) {
      if (this.#live.size >= max) break;
      this.#waiting.delete(screen);
      this.#live.add(screen);
      clearTimeout(this.#overflowTimer);
      this.#overflowTimer = undefined;
      screen.resume();
    }
  }

  async #evict(): Promise<void> {
    if (this.#isEvicting) return;
    this.#isEvicting = true;
    while (this.#missing > 0) {
      const oldest = [...this.#live]
        .filter((screen) => screen.isIdle)
        .toSorted((one, other) => one.usedAt - other.usedAt)
        .slice(0, Math.min(EVICTION_BATCH, this.#missing));
      // Parking takes places back, which lets the next ones in.
      const parked = await Promise.all(oldest.map((screen) => screen.suspend()));
      if (!parked.includes(true)) break;
    }
    this.#isEvicting = false;
  }
}
