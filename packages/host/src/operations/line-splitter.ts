/** What one chunk of a connection completes: a line without its end, or that a line was too long to be kept. */
export type Line =
  | { readonly kind: "line"; readonly bytes: Uint8Array }
  | { readonly kind: "tooLong" };

/** One request fits; who sends more without a line end could otherwise fill the memory. */
export const MAX_REQUEST_LINE_BYTES = 1024 * 1024;

/** A line that comes in more pieces than this is joined, as each piece costs far more than its bytes. */
const MAX_PIECES = 1024;

const LINE_FEED = 0x0a;
const RETURN = 0x0d;

/** Takes bytes apart at line ends, however they are cut; a line beyond the bound is dropped up to its end, and the next one counts again. */
export class LineSplitter {
  readonly #maxBytes: number;
  #pieces: Uint8Array[] = [];
  #heldBytes = 0;
  #isDropping = false;

  constructor(maxBytes = MAX_REQUEST_LINE_BYTES) {
    this.#maxBytes = maxBytes;
  }

  /** The lines that these bytes complete, one at a time; empty lines are left out. */
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

  /** Keeps a piece of a line; tells whether the line still fits. */
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
