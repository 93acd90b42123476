import type { SlicePosition } from "./screen-wire.ts";

/** What a thread is doing at the moment. */
export interface CurrentTask extends SlicePosition {
  readonly id: number;
  /** How long it may take, in milliseconds of work. */
  readonly limitMs: number;
}

const BEATS = 0;
const DONE = 1;
const ID = 2;
const LIMIT_MS = 3;
const NUMBERS_AT_BYTE = 16;
const BYTES = 32;

/** What a screen thread is doing, readable from outside even when it does not answer any more. */
export class WorkerHeartbeat {
  readonly memory: SharedArrayBuffer;
  readonly #counts: Int32Array;
  readonly #place: Float64Array;

  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#counts = new Int32Array(memory, 0, NUMBERS_AT_BYTE / 4);
    this.#place = new Float64Array(memory, NUMBERS_AT_BYTE);
  }

  /** Says what is begun; the count of beats is odd until `end`. */
  begin({ id, limitMs, sequence, offset }: CurrentTask): void {
    this.#counts[ID] = id;
    this.#counts[LIMIT_MS] = limitMs;
    this.#place[0] = sequence;
    this.#place[1] = offset;
    Atomics.add(this.#counts, BEATS, 1);
  }

  /** Gives more time for what was begun. */
  extendLimit(limitMs: number): void {
    this.#counts[LIMIT_MS] = limitMs;
  }

  end(): void {
    Atomics.add(this.#counts, BEATS, 1);
  }

  /** Says that one more order is done. */
  countDone(): void {
    Atomics.add(this.#counts, DONE, 1);
  }

  /** Orders that are done. */
  get done(): number {
    return Atomics.load(this.#counts, DONE);
  }

  /** Changes whenever something is begun or ended. */
  get beats(): number {
    return Atomics.load(this.#counts, BEATS);
  }

  /** What was begun and has not ended. */
  get currentTask(): CurrentTask | undefined {
    if (this.beats % 2 === 0) return undefined;
    const [sequence = 0, offset = 0] = this.#place;
    return { id: this.#counts[ID] ?? 0, limitMs: this.#counts[LIMIT_MS] ?? 0, sequence, offset };
  }
}
