import type { OutputPiece } from "./output-parser.ts";

/**
 * What fish itself writes between telling that a command starts and starting it: it ends bracketed paste, sets the
 * title and resets colours, in several steps. Nothing of that is the command's output.
 */
const FISH_STEP =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /\u001b\[\?2004l|\u001b\]0;[^\u0007]*\u0007|\u001b\[30m|\u001b\(B|\u001b\[m|\r/y;

/** The step that is always the last. */
const LAST_STEP = "\r";

/** Longer beginnings are not looked at. */
const MAX_PREAMBLE_BYTES = 4096;

const EMPTY: Uint8Array<ArrayBuffer> = new Uint8Array(0);

/** Moves the marker of a starting command behind what the shell itself still writes. */
export class FishPreamble {
  #marker: OutputPiece["marker"];

  /** Whether a marker waits for what comes next. */
  get isWaiting(): boolean {
    return this.#marker !== undefined;
  }

  /** Takes pieces and gives them back, the marker of each command where its own output begins. */
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

  /** Gives out the marker that waits: nothing came that could belong before it. */
  flush(): OutputPiece[] {
    const marker = this.#marker;
    this.#marker = undefined;
    return marker ? [{ raw: EMPTY, view: EMPTY, drawn: EMPTY, marker }] : [];
  }

  /** Gives out the marker that waits, if its place is in this piece; returns what is behind it. */
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

/** How much of the bytes is the shell's own, and whether nothing more of it can follow. */
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
