import { formatOmission } from "../../base/text/output-text.ts";

/** Errors are at the end of an output. */
const HEAD_SHARE = 0.4;

const LINE_FEED = 0x0a;

export interface HeadAndTailText {
  readonly text: string;
  readonly bytes: number;
  readonly omittedBytes: number;
}

/** Keeps head and tail, and counts the rest. */
export class HeadAndTail {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  #head: Buffer = Buffer.alloc(0);
  #tail: Buffer = Buffer.alloc(0);
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#headLimit = Math.floor(maxBytes * HEAD_SHARE);
    this.#tailLimit = maxBytes - this.#headLimit;
  }

  push(piece: Buffer): void {
    this.#bytes += piece.byteLength;
    const forHead = Math.min(piece.byteLength, this.#headLimit - this.#head.byteLength);
    if (forHead > 0) this.#head = Buffer.concat([this.#head, piece.subarray(0, forHead)]);
    const rest = piece.subarray(forHead).subarray(-this.#tailLimit);
    if (rest.byteLength > 0) {
      this.#tail = Buffer.concat([this.#tail, rest]).subarray(-this.#tailLimit);
    }
  }

  /** Counts unread bytes; the tail comes after them. */
  skip(bytes: number): void {
    this.#bytes += bytes;
    this.#tail = Buffer.alloc(0);
  }

  /** A line stands for an omitted middle. */
  read(): HeadAndTailText {
    const isWhole = this.#head.byteLength + this.#tail.byteLength === this.#bytes;
    if (isWhole) {
      const text = Buffer.concat([this.#head, this.#tail]).toString();
      return { text, bytes: this.#bytes, omittedBytes: 0 };
    }
    const [head, tail] = [wholeLines(this.#head), fromNextLine(this.#tail)];
    const omittedBytes = this.#bytes - head.byteLength - tail.byteLength;
    const notice = formatOmission(this.#bytes, omittedBytes);
    const text = `${head.toString().replace(/\n?$/, "\n")}${notice}${tail.toString()}`;
    return { text, bytes: this.#bytes, omittedBytes };
  }
}

/** Whole lines have whole characters and almost always whole escape sequences. */
function wholeLines(head: Buffer): Buffer {
  const end = head.lastIndexOf(LINE_FEED) + 1;
  if (end > 0) return head.subarray(0, end);
  let whole = head.byteLength;
  while (whole > 0 && isContinuation(head[whole - 1])) whole--;
  // The character that begins here may be complete; without certainty it is left out.
  return head.subarray(0, isAscii(head[whole - 1]) ? whole : Math.max(0, whole - 1));
}

function fromNextLine(tail: Buffer): Buffer {
  const start = tail.indexOf(LINE_FEED) + 1;
  if (start > 0 && start < tail.byteLength) return tail.subarray(start);
  let first = 0;
  while (first < tail.byteLength && isContinuation(tail[first])) first++;
  return tail.subarray(first);
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

const isAscii = (byte: number | undefined): boolean => byte !== undefined && byte < 0x80;
