/** Joins bytes that come in pieces of any size, up to a limit. */
export class ByteCollector {
  readonly #maxBytes: number;
  #room: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #length = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#room.subarray(0, this.#length);
  }

  /** How many bytes can still be added. */
  get spaceBytes(): number {
    return this.#maxBytes - this.#length;
  }

  /** Begins anew in the same memory. */
  clear(): void {
    this.#length = 0;
  }

  /** Adds a copy of bytes that fit. */
  add(bytes: Uint8Array): void {
    const needed = this.#length + bytes.length;
    if (needed > this.#room.length) {
      const doubled = Math.max(needed, 2 * this.#room.length);
      const larger = new Uint8Array(Math.min(doubled, this.#maxBytes));
      larger.set(this.bytes);
      this.#room = larger;
    }
    this.#room.set(bytes, this.#length);
    this.#length = needed;
  }
}

/** Says what is wrong with a file at the place where its reader stands; never leaves this folder. */
export class MalformedCastError extends Error {
  override readonly name = "Malformed";
  /** The attribute of the header that is wrong. */
  readonly field: string | undefined;
  /** Where it is wrong, when that is before the place where the reader stands. */
  readonly line: number | undefined;

  constructor(reason: string, field?: string, line?: number) {
    super(reason);
    this.field = field;
    this.line = line;
  }
}

const NEWLINE = 0x0a;
const NOTHING = new Uint8Array(0);

/** The largest entry fits in any spelling but the most wasteful; what is longer is no event, and lines are held in memory several times over. */
const MAX_CAST_LINE_BYTES = 4 * 1024 * 1024;

/** What `peek` answers after the last byte. */
export const END_OF_FILE = -1;

/** Bytes that are not UTF-8 are replaced: a flipped bit in the middle of output need not cost the rest of it. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

function countNewlines(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) if (bytes[at] === NEWLINE) count += 1;
  return count;
}

/** A place in a file that is read piece by piece; a piece may be filled again once the next is asked for. */
export class ByteCursor {
  readonly #pieces: Iterator<Uint8Array>;
  /** Lines that are not whole in one piece are joined here. */
  readonly #longLine = new ByteCollector(MAX_CAST_LINE_BYTES);
  #piece: Uint8Array = NOTHING;
  #at = 0;
  #line = 1;
  #isAfterLine = false;
  #position = 0;

  constructor(pieces: Iterable<Uint8Array>) {
    this.#pieces = pieces[Symbol.iterator]();
  }

  /** The line that was taken last, or in which the next byte is. */
  get line(): number {
    return this.#line;
  }

  /** How many bytes were taken. */
  get position(): number {
    return this.#position;
  }

  /** The next byte, or `END_OF_FILE`. */
  peek(): number {
    if (this.#at === this.#piece.length) this.#load();
    return this.#piece[this.#at] ?? END_OF_FILE;
  }

  /** The bytes at hand, none only at the end of the file. */
  rest(): Uint8Array {
    if (this.#at === this.#piece.length) this.#load();
    return this.#piece.subarray(this.#at);
  }

  /** Takes so many of the bytes at hand. */
  advance(byteCount: number): void {
    const end = this.#at + byteCount;
    this.#line += countNewlines(this.#piece, this.#at, end);
    this.#at = end;
    this.#position += byteCount;
  }

  /** Takes everything before the end of the line or of the file; tells whether it fitted. */
  gather(gathered: ByteCollector, end: "line" | "file"): boolean {
    for (let rest = this.rest(); rest.length > 0; rest = this.rest()) {
      const newline = end === "line" ? rest.indexOf(NEWLINE) : -1;
      const part = newline < 0 ? rest : rest.subarray(0, newline);
      if (part.length > gathered.spaceBytes) return false;
      gathered.add(part);
      this.advance(part.length);
      if (newline >= 0) return true;
    }
    return true;
  }

  /** Takes a line and its end; nothing is left when it answers nothing. */
  takeLine(): string | undefined {
    if (this.peek() === END_OF_FILE) return undefined;
    if (this.#isAfterLine) this.#line += 1;
    this.#isAfterLine = false;
    const first = this.#takeLinePart(MAX_CAST_LINE_BYTES);
    if (this.#isAfterLine) return utf8.decode(first);
    this.#longLine.clear();
    for (let part = first; ; part = this.#takeLinePart(this.#longLine.spaceBytes)) {
      this.#longLine.add(part);
      if (!this.#isAfterLine && this.peek() !== END_OF_FILE) continue;
      return utf8.decode(this.#longLine.bytes);
    }
  }

  /** Lets go of the file before its end. */
  close(): void {
    this.#pieces.return?.();
  }

  /** What the present piece has of the line. */
  #takeLinePart(maxBytes: number): Uint8Array {
    const found = this.#piece.indexOf(NEWLINE, this.#at);
    const part = this.#piece.subarray(this.#at, found < 0 ? this.#piece.length : found);
    if (part.length > maxBytes)
      throw new MalformedCastError(`more than ${MAX_CAST_LINE_BYTES} bytes in a line`);
    this.#isAfterLine = found >= 0;
    const takenBytes = part.length + (found >= 0 ? 1 : 0);
    this.#at += takenBytes;
    this.#position += takenBytes;
    return part;
  }

  #load(): void {
    while (this.#at === this.#piece.length) {
      const next = this.#nextOfFile();
      if (next === undefined) return;
      this.#piece = next;
      this.#at = 0;
    }
  }

  #nextOfFile(): Uint8Array | undefined {
    const next = this.#pieces.next();
    return next.done === true ? undefined : next.value;
  }
}
