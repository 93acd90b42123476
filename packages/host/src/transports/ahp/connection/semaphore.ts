import { setImmediate } from "node:timers/promises";

/** Yields after a number of tasks. */
export class TurnBudget {
  readonly #size: number;
  #left: number;
  #next: Promise<void> | undefined;

  constructor(size: number) {
    this.#size = size;
    this.#left = size;
  }

  async take(): Promise<void> {
    while (this.#left === 0) await (this.#next ??= this.#begin());
    this.#left--;
  }

  async #begin(): Promise<void> {
    await setImmediate();
    this.#left = this.#size;
    this.#next = undefined;
  }
}

/** Bounded concurrency, first in first out. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Hands the slot over directly, so that nobody slips in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
