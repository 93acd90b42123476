// What the main thread and a screen thread say to each other.
import type { ScreenFormat, Size } from "@nacre/contracts";
import type { SavedScreen, ScreenChange, ScreenPicture } from "./screen-change.ts";

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

/** A slice of a change: all of it, or some of its bytes from an offset on. */
export interface SlicePosition {
  readonly sequence: number;
  readonly offset: number;
}

/** Where a query stands; places of one recording are in order. */
export interface ReplyPosition extends SlicePosition {
  /** How many queries stand before it in its slice. */
  readonly ordinal: number;
}

/** How a drawing is begun in a thread. */
export interface OpenOrder {
  readonly kind: "open";
  readonly id: number;
  readonly size: Size;
  readonly scrollback: number;
  readonly saved: SavedScreen | undefined;
  /** Whether queries are answered and snapshots for recovery sent; nobody waits for those of the past. */
  readonly isLive: boolean;
  /** Slices that ended a thread twice. */
  readonly skips: readonly SlicePosition[];
}

/** Questions that are answered under their number. */
export type QueryOrder =
  | {
      readonly kind: "picture";
      readonly id: number;
      readonly request: number;
      readonly format: ScreenFormat;
    }
  | { readonly kind: "save"; readonly id: number; readonly request: number };

/** Orders of one drawing, which are done one after the other. */
export type ReplicaOrder =
  | OpenOrder
  | QueryOrder
  | { readonly kind: "change"; readonly id: number; readonly change: ScreenChange };

/** What a screen thread is told to do; a drawing is closed at once, whatever waits. */
export type ScreenOrder = ReplicaOrder | { readonly kind: "close"; readonly id: number };

/** A change that is on the screen now. */
export interface DrawnChange {
  readonly id: number;
  readonly sequence: number;
}

/** What a screen thread tells. */
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

/** What a screen thread is started with. */
export interface ScreenWorkerData {
  readonly heartbeat: SharedArrayBuffer;
}
