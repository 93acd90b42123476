import { outputByteLength, type ScreenChange } from "./screen-change.ts";

/** How far a screen has come: which changes were written, sent to be drawn, and drawn. */
export class ScreenProgress {
  #written = 0;
  #sent = 0;
  #drawn = 0;
  #lagBytes = 0;

  /** The last change that was written. */
  get written(): number {
    return this.#written;
  }

  /** The last change that the present drawing has. */
  get sent(): number {
    return this.#sent;
  }

  /** Bytes that were written and are not drawn yet. */
  get lagBytes(): number {
    return this.#lagBytes;
  }

  /** Whether nothing written is left to be drawn. */
  get isDone(): boolean {
    return this.#drawn >= this.#written;
  }

  /** Notes a change; false when the drawing has it already. */
  noteWritten(change: ScreenChange): boolean {
    const { sequence } = change;
    if (sequence <= this.#written) return false;
    this.#written = sequence;
    if (sequence <= this.#sent) return false;
    this.#lagBytes += outputByteLength(change);
    return true;
  }

  /** Notes what the drawing has; less than before when it was begun anew. */
  noteSent(sequence: number): void {
    this.#sent = sequence;
  }

  /** Notes that a change is drawn; those that are drawn once more count once. */
  noteDrawn(sequence: number, bytes: number): void {
    if (sequence > this.#drawn && sequence <= this.#written) this.#lagBytes -= bytes;
    this.#drawn = Math.max(this.#drawn, sequence);
    // What came from the source before it was written was never counted.
    if (this.#lagBytes < 0 || this.isDone) this.#lagBytes = 0;
  }
}

/** What may always wait for one screen; what does not fit is read from the recording again. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** What may wait for all screens together: a flood that is drawn a little later need not be read again. */
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

/** How much waits for several screens together. */
export class QueueBudget {
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxBytes = MAX_TOTAL_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get isUsedUp(): boolean {
    return this.#bytes > this.#maxBytes;
  }

  add(byteCount: number): void {
    this.#bytes += byteCount;
  }
}

/** Changes without bytes take memory, too. */
const CHANGE_BYTES = 128;

/** Changes that wait to be drawn; when there are too many, all of them are dropped until somebody asks to keep them again. */
export class ChangeQueue {
  readonly #budget: QueueBudget;
  #changes: ScreenChange[] = [];
  #next = 0;
  #bytes = 0;
  #isDropping = false;

  constructor(budget: QueueBudget) {
    this.#budget = budget;
  }

  /** Whether changes are missing. */
  get isDropping(): boolean {
    return this.#isDropping;
  }

  get isEmpty(): boolean {
    return this.#next === this.#changes.length;
  }

  push(change: ScreenChange): void {
    if (this.#isDropping) return;
    this.#add(outputByteLength(change) + CHANGE_BYTES);
    if (this.#bytes > MAX_WAITING_BYTES && this.#budget.isUsedUp) this.drop();
    else this.#changes.push(change);
  }

  shift(): ScreenChange | undefined {
    const change = this.#changes[this.#next];
    if (!change) return undefined;
    this.#next++;
    this.#add(-outputByteLength(change) - CHANGE_BYTES);
    if (this.isEmpty || this.#next > 1024) this.#tidy();
    return change;
  }

  /** Forgets everything, and what comes until `keep`. */
  drop(): void {
    this.#changes = [];
    this.#next = 0;
    this.#add(-this.#bytes);
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

  #add(byteCount: number): void {
    this.#bytes += byteCount;
    this.#budget.add(byteCount);
  }

  #tidy(): void {
    this.#changes.splice(0, this.#next);
    this.#next = 0;
  }
}
