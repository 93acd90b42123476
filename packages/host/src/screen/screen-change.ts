import type { Cursor, Size } from "@nacre/contracts";

/** One recorded fact that changes what a Terminal shows, with the Sequence it was recorded under. */
export type ScreenChange =
  | {
      readonly kind: "output";
      readonly sequence: number;
      /** Output without Markers and with bounded numbers; stays the caller's. */
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: "resize"; readonly sequence: number; readonly size: Size }
  | { readonly kind: "clear"; readonly sequence: number };

/** A Snapshot to go on from: everything a Screen is made of, as of a Sequence. */
export interface SavedScreen {
  readonly sequence: number;
  readonly size: Size;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** How a Screen is built anew; given by whoever has the Recording. */
export interface ScreenSource {
  /** The newest saved Screen there is; nothing means to begin with an empty one. */
  start(): Promise<SavedScreen | undefined>;
  /** Everything recorded after a sequence, up to the present, in order. */
  changesAfter(sequence: number): AsyncIterable<ScreenChange>;
}

/** What a Screen shows, written down for readers. */
export interface ScreenPicture {
  readonly sequence: number;
  readonly size: Size;
  /** The visible rows, joined by line feeds, without blanks at their ends. */
  readonly text: string;
  /** The screen in the format asked for; absent for `text`. */
  readonly content?: string;
  readonly cursor: Cursor;
  readonly alternate: boolean;
  /** Whether the scrollback has no more room, so that older lines have left it. */
  readonly isFull: boolean;
  /** Present when something was left out that would have cost too much to draw. */
  readonly degraded?: true;
  /** Equal screens have equal digests. */
  readonly hash: string;
}

/** How many bytes of output a change has. */
export const outputByteLength = (change: ScreenChange): number =>
  change.kind === "output" ? change.bytes.length : 0;
