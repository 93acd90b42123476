import { bytesOf, type ScreenChange } from "./screen-change.ts";

/** Waiting changes of one screen; what does not fit is read from the recording again. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Changes without bytes take memory, too. */
const CHANGE_BYTES = 128;

/** Changes that wait to be drawn; when there are too many, all of them are dropped until somebody asks to keep them again. */
export class ChangeQueue {
  #changes: ScreenChange[] = [];
  #next = 0;
  #bytes = 0;
  #isDropping = false;

  /** Whether changes are missing. */
  get isDropping(): boolean {
    return this.#isDropping;
  }

  get isEmpty(): boolean {
    return this.#next === this.#changes.length;
  }

  push(change: ScreenChange): void {
    if (this.#isDropping) return;
    this.#bytes += bytesOf(change) + CHANGE_BYTES;
    if (this.#bytes > MAX_WAITING_BYTES) this.drop();
    else this.#changes.push(change);
  }

  shift(): ScreenChange | undefined {
    const change = this.#changes[this.#next];
    if (!change) return undefined;
    this.#next++;
    this.#bytes -= bytesOf(change) + CHANGE_BYTES;
    if (this.isEmpty || this.#next > 1024) this.#tidy();
    return change;
  }

  /** Forgets everything, and what comes until `keep`. */
  drop(): void {
    this.#changes = [];
    this.#next = 0;
    this.#bytes = 0;
    this.#isDropping = true;
  }

  /** From here on nothing is missing, until there are too many again. */
  keep(): void {
    this.#isDropping = false;
  }

  /** Forgets what was drawn by other means. */
  dropThrough(sequence: number): void {
    while (true) {
      const change = this.#changes[this.#next];
      if (!change || change.sequence > sequence) return;
      this.shift();
    }
  }

  #tidy(): void {
    this.#changes.splice(0, this.#next);
    this.#next = 0;
  }
}
