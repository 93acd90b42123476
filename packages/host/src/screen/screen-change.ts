import type { Cursor, Size } from "@nacre/contracts";

/** One recorded fact that changes the screen, with its sequence. */
export type ScreenChange =
  | {
      readonly kind: "output";
      readonly sequence: number;
      /** Filtered by `EmulatorInputFilter`; stays the caller's. */
      readonly bytes: Uint8Array<ArrayBuffer>;
    }
  | { readonly kind: "resize"; readonly sequence: number; readonly size: Size }
  | { readonly kind: "clear"; readonly sequence: number };

/** A snapshot of the complete screen state as of a sequence. */
export interface SavedScreen {
  readonly sequence: number;
  readonly size: Size;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Rebuilds a screen; implemented by whoever has the recording. */
export interface ScreenSource {
  /** Undefined: start with an empty screen. */
  start(): Promise<SavedScreen | undefined>;
  /** In order, up to the present. */
  changesAfter(sequence: number): AsyncIterable<ScreenChange>;
}

export interface ScreenPicture {
  readonly sequence: number;
  readonly size: Size;
  /** Visible rows joined by line feeds, without trailing blanks. */
  readonly text: string;
  /** Absent for `text`. */
  readonly content?: string;
  readonly cursor: Cursor;
  readonly alternate: boolean;
  /** The scrollback is full, so older lines were dropped. */
  readonly isFull: boolean;
  /** Something too expensive was not drawn. */
  readonly degraded?: true;
  /** Equal screens have equal hashes. */
  readonly hash: string;
}

export const outputByteLength = (change: ScreenChange): number =>
  change.kind === "output" ? change.bytes.length : 0;
