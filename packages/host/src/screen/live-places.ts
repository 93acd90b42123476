import type { LiveScreen } from "./live-screen.ts";

/** When nobody gets a place for this long because all others are busy, some get one all the same. */
const MAX_WAIT_MS = 1_000;

/** Screens that are parked, or let in beyond the bound, at once. */
const GROUP = 16;

/** Which screens of a thread have an emulator: at most so many, and the one unused for the longest time makes room. */
export class LivePlaces {
  readonly #max: number;
  readonly #live = new Set<LiveScreen>();
  readonly #waiting = new Set<LiveScreen>();
  #isMakingRoom = false;
  #patience: NodeJS.Timeout | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Those with an emulator. */
  get live(): readonly LiveScreen[] {
    return [...this.#live];
  }

  /** Gives a screen a place, by waking it, as soon as there is one. */
  enter(screen: LiveScreen): void {
    this.#waiting.add(screen);
    this.handleResting();
  }

  /** Takes a place back, or the wish for one. */
  leave(screen: LiveScreen): void {
    this.#waiting.delete(screen);
    if (this.#live.delete(screen)) this.handleResting();
  }

  /** Something has changed: a screen may have time to make room. */
  handleResting(): void {
    this.#admit(this.#max);
    if (this.#missing > 0) void this.#makeRoom();
    if (this.#waiting.size > 0)
      this.#patience ??= setTimeout(
        () => this.#admit(this.#live.size + GROUP),
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
      clearTimeout(this.#patience);
      this.#patience = undefined;
      screen.wake();
    }
  }

  async #makeRoom(): Promise<void> {
    if (this.#isMakingRoom) return;
    this.#isMakingRoom = true;
    while (this.#missing > 0) {
      const oldest = [...this.#live]
        .filter((screen) => screen.isResting)
        .toSorted((one, other) => one.usedAt - other.usedAt)
        .slice(0, Math.min(GROUP, this.#missing));
      // Parking takes places back, which lets the next ones in.
      const parked = await Promise.all(oldest.map((screen) => screen.park()));
      if (!parked.includes(true)) break;
    }
    this.#isMakingRoom = false;
  }
}
