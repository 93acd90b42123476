import { outputByteLength, type ScreenChange } from "./screen-change.ts";

/** Which changes of a screen were written, sent to its replica, and drawn. */
export class ScreenProgress {
  #written = 0;
  #sent = 0;
  #drawn = 0;
  #lagBytes = 0;

  get written(): number {
    return this.#written;
  }

  get sent(): number {
    return this.#sent;
  }

  /** Written but not drawn yet. */
  get lagBytes(): number {
    return this.#lagBytes;
  }

  get isDone(): boolean {
    return this.#drawn >= this.#written;
  }

  /** False when the replica has the change already. */
  noteWritten(change: ScreenChange): boolean {
    const { sequence } = change;
    if (sequence <= this.#written) return false;
    this.#written = sequence;
    if (sequence <= this.#sent) return false;
    this.#lagBytes += outputByteLength(change);
    return true;
  }

  /** Decreases when a replica starts over. */
  noteSent(sequence: number): void {
    this.#sent = sequence;
  }

  /** A change drawn again counts once. */
  noteDrawn(sequence: number, bytes: number): void {
    if (sequence > this.#drawn && sequence <= this.#written) this.#lagBytes -= bytes;
    this.#drawn = Math.max(this.#drawn, sequence);
    // Changes from the source were never counted as written.
    if (this.#lagBytes < 0 || this.isDone) this.#lagBytes = 0;
  }
}

/** Guaranteed to each screen; beyond it, changes are read from the recording again. */
const MAX_WAITING_BYTES = 4 * 1024 * 1024;

/** Shared by all screens: a flood that is drawn a little later need not be read again. */
const MAX_TOTAL_BYTES = 32 * 1024 * 1024;

/** Shared among queues. */
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

/** Overhead of a change without bytes. */
const CHANGE_BYTES = 128;

/** Changes that wait to be drawn. On overflow it drops all of them until `keep` is called. */
export class ChangeQueue {
  readonly #budget: QueueBudget;
  #changes: ScreenChange[] = [];
  #next = 0;
  #bytes = 0;
  #isDropping = false;

  constructor(budget: QueueBudget) {
    this.#budget = budget;
  }

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

  /** Drops everything queued, and what comes until `keep`. */
  drop(): void {
    this.#changes = [];
    this.#next = 0;
    this.#add(-this.#bytes);
    this.#isDropping = true;
  }

  /** Queues again; nothing is missing from here until the next overflow. */
  keep(): void {
    this.#isDropping = false;
  }

  /** Drops changes that were drawn by other means. */
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
