// Messages between the main thread and a screen worker.
import type { ScreenFormat, Size } from "@nacre/contracts";
import type { SavedScreen, ScreenChange, ScreenPicture } from "./screen-change.ts";

export interface CurrentTask extends SlicePosition {
  readonly id: number;
  /** CPU time. */
  readonly limitMs: number;
}

const BEATS = 0;
const DONE = 1;
const ID = 2;
const LIMIT_MS = 3;
const NUMBERS_AT_BYTE = 16;
const BYTES = 32;

/** What a screen worker is doing, in shared memory: readable even when it does not answer. */
export class WorkerHeartbeat {
  readonly memory: SharedArrayBuffer;
  readonly #counts: Int32Array;
  readonly #place: Float64Array;

  constructor(memory = new SharedArrayBuffer(BYTES)) {
    this.memory = memory;
    this.#counts = new Int32Array(memory, 0, NUMBERS_AT_BYTE / 4);
    this.#place = new Float64Array(memory, NUMBERS_AT_BYTE);
  }

  /** `beats` is odd until `end`. */
  begin({ id, limitMs, sequence, offset }: CurrentTask): void {
    this.#counts[ID] = id;
    this.#counts[LIMIT_MS] = limitMs;
    this.#place[0] = sequence;
    this.#place[1] = offset;
    Atomics.add(this.#counts, BEATS, 1);
  }

  extendLimit(limitMs: number): void {
    this.#counts[LIMIT_MS] = limitMs;
  }

  end(): void {
    Atomics.add(this.#counts, BEATS, 1);
  }

  countDone(): void {
    Atomics.add(this.#counts, DONE, 1);
  }

  get done(): number {
    return Atomics.load(this.#counts, DONE);
  }

  /** Changes with every begin and end. */
  get beats(): number {
    return Atomics.load(this.#counts, BEATS);
  }

  get currentTask(): CurrentTask | undefined {
    if (this.beats % 2 === 0) return undefined;
    const [sequence = 0, offset = 0] = this.#place;
    return { id: this.#counts[ID] ?? 0, limitMs: this.#counts[LIMIT_MS] ?? 0, sequence, offset };
  }
}

/** A slice of a change: all of it, or its bytes from an offset on. */
export interface SlicePosition {
  readonly sequence: number;
  readonly offset: number;
}

/** Where a query stands; positions of one recording are ordered. */
export interface ReplyPosition extends SlicePosition {
  /** How many queries precede it in its slice. */
  readonly ordinal: number;
}

export interface OpenOrder {
  readonly kind: "open";
  readonly id: number;
  readonly size: Size;
  readonly scrollback: number;
  readonly saved: SavedScreen | undefined;
  /** Replies to queries and sends checkpoints; moments of the past need neither. */
  readonly isLive: boolean;
  /** Slices that crashed workers. */
  readonly skips: readonly SlicePosition[];
}

/** Answered under their number. */
export type QueryOrder =
  | {
      readonly kind: "picture";
      readonly id: number;
      readonly request: number;
      readonly format: ScreenFormat;
    }
  | { readonly kind: "save"; readonly id: number; readonly request: number };

/** Done one after the other. */
export type ReplicaOrder =
  | OpenOrder
  | QueryOrder
  | { readonly kind: "change"; readonly id: number; readonly change: ScreenChange };

/** `close` takes effect at once, whatever is queued. */
export type ScreenOrder = ReplicaOrder | { readonly kind: "close"; readonly id: number };

export interface DrawnChange {
  readonly id: number;
  readonly sequence: number;
}

export type ScreenReport =
  | { readonly kind: "ready"; readonly threadId: number | undefined }
  | { readonly kind: "drawn"; readonly all: readonly DrawnChange[] }
  | {
      readonly kind: "reply";
      readonly id: number;
      readonly place: ReplyPosition;
      readonly text: string;
    }
  | { readonly kind: "checkpoint"; readonly id: number; readonly saved: SavedScreen }
  | {
      readonly kind: "picture";
      readonly id: number;
      readonly request: number;
      readonly picture: ScreenPicture;
    }
  | {
      readonly kind: "saved";
      readonly id: number;
      readonly request: number;
      readonly saved: SavedScreen;
    }
  | {
      readonly kind: "failed";
      readonly id: number;
      readonly request: number;
      readonly message: string;
    }
  | { readonly kind: "refused"; readonly id: number; readonly message: string };

export interface ScreenWorkerData {
  readonly heartbeat: SharedArrayBuffer;
}
