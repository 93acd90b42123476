/** Joins chunks up to a limit. */
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

  get spaceBytes(): number {
    return this.#maxBytes - this.#length;
  }

  /** Keeps its memory. */
  clear(): void {
    this.#length = 0;
  }

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

/** What is wrong at the reader's position; never leaves this folder. */
export class MalformedCastError extends Error {
  override readonly name = "Malformed";
  /** The offending attribute of the header. */
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

export const END_OF_FILE = -1;

/** Invalid UTF-8 is replaced: a flipped bit inside output need not cost the rest of it. */
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

function countNewlines(bytes: Uint8Array, start: number, end: number): number {
  let count = 0;
  for (let at = start; at < end; at += 1) if (bytes[at] === NEWLINE) count += 1;
  return count;
}

/** A position in a file that is read in chunks; a chunk's buffer may be reused once the next is asked for. */
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

  /** Line number of the last line taken, or of the next byte. */
  get line(): number {
    return this.#line;
  }

  /** Bytes taken. */
  get position(): number {
    return this.#position;
  }

  peek(): number {
    if (this.#at === this.#piece.length) this.#load();
    return this.#piece[this.#at] ?? END_OF_FILE;
  }

  /** The buffered bytes; empty only at the end of the file. */
  rest(): Uint8Array {
    if (this.#at === this.#piece.length) this.#load();
    return this.#piece.subarray(this.#at);
  }

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

  /** A line without its end; undefined at the end of the file. */
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

  /** Closes the file before its end. */
  close(): void {
    this.#pieces.return?.();
  }

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
