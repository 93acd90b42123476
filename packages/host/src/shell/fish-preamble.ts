import type { OutputPiece } from "./output-parser.ts";

/**
 * What fish writes between announcing a command and starting it: it ends bracketed paste, sets the title and resets
 * colours, in several steps. None of this is the command's output.
 */
const FISH_STEP =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /\u001b\[\?2004l|\u001b\]0;[^\u0007]*\u0007|\u001b\[30m|\u001b\(B|\u001b\[m|\r/y;

/** Always the last step. */
const LAST_STEP = "\r";

/** Longer preambles are ignored. */
const MAX_PREAMBLE_BYTES = 4096;

const EMPTY: Uint8Array<ArrayBuffer> = new Uint8Array(0);

/** Moves a command's start marker behind what fish itself still writes. */
export class FishPreamble {
  #marker: OutputPiece["marker"];

  get isWaiting(): boolean {
    return this.#marker !== undefined;
  }

  /** Returns the pieces with each start marker where the command's own output begins. */
  push(pieces: readonly OutputPiece[]): OutputPiece[] {
    const given: OutputPiece[] = [];
    for (const piece of pieces) {
      const { marker, ...rest } = this.#place(piece, given);
      if (marker?.kind === "commandStart") {
        this.#marker = marker;
        given.push(rest);
      } else {
        given.push(marker ? { ...rest, marker } : rest);
      }
    }
    return given.filter(({ raw, marker }) => raw.byteLength > 0 || marker);
  }

  /** Releases a pending marker: nothing came that belongs before it. */
  flush(): OutputPiece[] {
    const marker = this.#marker;
    this.#marker = undefined;
    return marker ? [{ raw: EMPTY, view: EMPTY, drawn: EMPTY, marker }] : [];
  }

  /** Releases a pending marker whose place is in this piece; returns the rest. */
  #place(piece: OutputPiece, given: OutputPiece[]): OutputPiece {
    const marker = this.#marker;
    const { raw, view, drawn } = piece;
    if (!marker) return piece;
    const { length, isOver } = matchPreamble(raw);
    if (!isOver && !piece.marker) return piece;
    this.#marker = undefined;
    const prologue = raw.slice(0, length);
    given.push({ raw: prologue, view: prologue, drawn: prologue, marker });
    if (length === 0) return piece;
    const rest = raw.slice(length);
    const behind = (bytes: OutputPiece["raw"]) => (bytes === raw ? rest : bytes.slice(length));
    return { ...piece, raw: rest, view: behind(view), drawn: behind(drawn) };
  }
}

/** How many bytes are fish's own, and whether no more can follow. */
function matchPreamble(raw: Uint8Array): { readonly length: number; readonly isOver: boolean } {
  const text = Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength)
    .subarray(0, MAX_PREAMBLE_BYTES)
    .toString("latin1");
  for (FISH_STEP.lastIndex = 0; ;) {
    const from = FISH_STEP.lastIndex;
    const step = FISH_STEP.exec(text)?.[0];
    if (step === undefined) return { length: from, isOver: from < text.length };
    if (step === LAST_STEP) return { length: from + step.length, isOver: true };
  }
}
