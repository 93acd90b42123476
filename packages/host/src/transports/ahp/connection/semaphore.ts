import { setImmediate } from "node:timers/promises";

/** Lets others have a turn after a number of works, however many there are. */
export class TurnBudget {
  readonly #size: number;
  #left: number;
  #next: Promise<void> | undefined;

  constructor(size: number) {
    this.#size = size;
    this.#left = size;
  }

  /** Resolves when it is time for one more. */
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

/** Lets a bounded number of works go on at a time; the others wait in their order. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(size: number) {
    this.#free = size;
  }

  /** Does the work when its turn comes. */
  async run<Result>(work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free--;
    else await new Promise<void>((resolve) => this.#waiting.push(resolve));
    try {
      return await work();
    } finally {
      // Whoever waits gets the place that becomes free, so that nobody can slip in between.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#free++;
    }
  }
}
