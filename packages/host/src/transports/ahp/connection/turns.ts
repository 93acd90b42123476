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
