/** How much of all Ptys together is kept that is not recorded. */
const MAX_RINGS_BYTES = 256 * 1024 * 1024;

/** Whose ring holds less may always read on, so that floods of others do not stop a program that says little. */
export const MIN_RING_BYTES = 64 * 1024;

/** Those who wait go on when this part of the bound is free again: not all of them for each byte. */
const FREE_SHARE = 1 / 16;

/** What all rings of a keeper hold; when it is too much, programs that flood wait although their own rings have room. */
export class RingBudget {
  readonly #maxBytes: number;
  readonly #waiting = new Set<() => void>();
  #heldBytes = 0;
  #isFull = false;

  constructor(maxBytes = MAX_RINGS_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  /** A ring holds more, or less. */
  change(bytes: number): void {
    this.#heldBytes += bytes;
    const wasFull = this.#isFull;
    const bound = wasFull ? this.#maxBytes * (1 - FREE_SHARE) : this.#maxBytes;
    this.#isFull = this.#heldBytes >= bound;
    if (wasFull && !this.#isFull) for (const go of this.#waiting) go();
  }

  /** Calls each time there is room again, until disposed. */
  onRoom(go: () => void): Disposable {
    this.#waiting.add(go);
    return { [Symbol.dispose]: () => void this.#waiting.delete(go) };
  }
}
