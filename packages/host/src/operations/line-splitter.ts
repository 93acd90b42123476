/** A line without its end, or that a line was too long. */
export type Line =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  | { readonly kind: "tooLong" };

/** One request fits; bounds a sender without line ends. */
export const MAX_REQUEST_LINE_BYTES = 1024 * 1024;

/** Pieces beyond this are joined, as each costs far more than its bytes. */
const MAX_PIECES = 1024;

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** Splits at line ends, independent of chunking; an overlong line is dropped up to its end. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #heldBytes = 0;
  #isDropping = false;

  constructor(maxBytes = MAX_REQUEST_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** Skips empty lines. */
  *push(chunk: Uint8Array): Generator<Line, void> {
    let start = 0;
    for (let end; (end = chunk.indexOf(LINE_FEED, start)) !== -1; start = end + 1) {
      const fits = this.#hold(chunk.subarray(start, end));
      const bytes = this.#take();
      if (!fits) yield { kind: "tooLong" };
      else if (bytes.length > 0) yield { kind: "line", bytes };
    }
    this.#hold(chunk.subarray(start));
  }

  /** False when the line does not fit. */
  #hold(piece: Uint8Array): boolean {
    this.#heldBytes += piece.length;
    this.#isDropping ||= this.#heldBytes > this.#maxBytes;
    if (this.#isDropping) this.#pieces = [];
    else if (piece.length > 0) this.#pieces.push(piece);
    if (this.#pieces.length > MAX_PIECES) this.#pieces = [Buffer.concat(this.#pieces)];
    return !this.#isDropping;
  }

  #take(): Uint8Array {
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    this.#heldBytes = 0;
    this.#isDropping = false;
    return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
  }
}
