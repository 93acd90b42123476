import type { ByteCursor } from "./byte-cursor.ts";
import { MalformedCastError } from "./malformed.ts";

/** Comments, empty lines and unknown events of this size in a row are only there to keep the reader busy. */
const MAX_IDLE_BYTES = 16 * 1024 * 1024;

/** Looking at a line, however short, takes as long as reading so many bytes more. */
const LINE_COST_BYTES = 64;

/** Ends the reading of a file that goes on without ever telling anything, well within a second. */
export class IdleGuard {
  readonly #cursor: ByteCursor;
  #from: number;
  #lineCostBytes = 0;

  constructor(cursor: ByteCursor) {
    this.#cursor = cursor;
    this.#from = cursor.position;
  }

  /** To be called after each fact. */
  reset(): void {
    this.#from = this.#cursor.position;
    this.#lineCostBytes = 0;
  }

  /** To be called after each line; throws when there was no fact for too long. */
  check(): void {
    this.#lineCostBytes += LINE_COST_BYTES;
    if (this.#cursor.position - this.#from + this.#lineCostBytes > MAX_IDLE_BYTES) {
      throw new MalformedCastError("too much without an event");
    }
  }
}
