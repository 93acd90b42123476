/** Choices that are the same for the same seed. */
export class Random {
  readonly #next: () => number;

  constructor(seed: number) {
    this.#next = seededRandom(seed);
  }

  /** True as often as this part of all times. */
  chance(part: number): boolean {
    return this.#next() < part;
  }

  /** A whole number, both ends included. */
  between(least: number, most: number): number {
    return least + Math.floor(this.#next() * (most - least + 1));
  }

  /** A number that is mostly small, and now and then far too large. */
  count(most: number): number {
    if (this.chance(0.05)) return this.pick([99, 9999, 2_147_483_647]);
    return this.chance(0.5) ? this.between(0, 3) : this.between(1, most);
  }

  pick<Item>(items: readonly Item[]): Item {
    const item = items[this.between(0, items.length - 1)];
    if (item === undefined) throw new Error("nothing to choose from");
    return item;
  }

  /** So many of them in a row. */
  picks(items: readonly string[], count: number): string {
    return Array.from({ length: count }, () => this.pick(items)).join("");
  }

  /** So many characters of an alphabet. */
  string(alphabet: string, count: number): string {
    return Array.from({ length: count }, () => alphabet[this.between(0, alphabet.length - 1)]).join(
      "",
    );
  }

  /** One of several, each as often as its weight says. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item {
    const total = items.reduce((sum, [weight]) => sum + weight, 0);
    let left = this.#next() * total;
    for (const [weight, item] of items) {
      left -= weight;
      if (left < 0) return item;
    }
    throw new Error("nothing to choose from");
  }
}

/** Numbers from 0 to 1 that are the same for the same seed (mulberry32). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
