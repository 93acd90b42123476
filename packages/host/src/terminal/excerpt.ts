import type { OutputExcerpt, OutputPosition, Size } from "@nacre/contracts";
import { formatOmission } from "../base/text/output-text.ts";

/** Errors are at the end of an output. */
const HEAD_SHARE = 0.4;

const LINE_FEED = 0x0a;

/** Keeps the beginning and the end of an output of any length, and counts the rest. */
export class Excerpt {
  readonly #headLimit: number;
  readonly #tailLimit: number;
  readonly #head: Uint8Array[] = [];
  #headBytes = 0;
  #tail: Uint8Array[] = [];
  #tailBytes = 0;
  #totalBytes = 0;
  #totalLines = 0;

  constructor(maxBytes: number) {
    this.#headLimit = Math.floor(maxBytes * HEAD_SHARE);
    this.#tailLimit = maxBytes - this.#headLimit;
  }

  /** Takes the next piece, which ends neither inside a code point nor inside an escape sequence; its bytes stay the caller's. */
  push(piece: Uint8Array): void {
    this.#totalBytes += piece.byteLength;
    this.#totalLines += countOf(piece, LINE_FEED);
    const forHead = Math.min(piece.byteLength, this.#headLimit - this.#headBytes);
    if (forHead > 0) {
      this.#head.push(piece.slice(0, forHead));
      this.#headBytes += forHead;
    }
    if (forHead < piece.byteLength) this.#pushTail(piece.slice(Math.max(0, forHead)));
  }

  /** What there is so far. */
  read(position: OutputPosition, size?: Size): OutputExcerpt {
    const head = Buffer.concat(this.#head);
    const tail = Buffer.concat(this.#tail).subarray(-this.#tailLimit);
    const isWhole = head.byteLength + tail.byteLength === this.#totalBytes;
    const counts = {
      totalBytes: this.#totalBytes,
      totalLines: this.#totalLines,
      position,
      ...(size ? { size } : {}),
    };
    if (isWhole) {
      const text = Buffer.concat([head, tail]).toString();
      return { text, truncated: false, omittedBytes: 0, ...counts };
    }
    const first = head.subarray(0, endOfLine(head));
    const last = tail.subarray(startOfLine(tail));
    const omittedBytes = this.#totalBytes - first.byteLength - last.byteLength;
    const notice = formatOmission(this.#totalBytes, omittedBytes);
    const text = `${first.toString()}${notice}${last.toString()}`;
    return { text, truncated: true, omittedBytes, ...counts };
  }

  #pushTail(piece: Uint8Array): void {
    this.#tail.push(piece);
    this.#tailBytes += piece.byteLength;
    for (;;) {
      const [oldest] = this.#tail;
      if (!oldest || this.#tailBytes - oldest.byteLength < this.#tailLimit) return;
      this.#tail.shift();
      this.#tailBytes -= oldest.byteLength;
    }
  }
}

function countOf(bytes: Uint8Array, byte: number): number {
  let count = 0;
  for (let at = bytes.indexOf(byte); at >= 0; at = bytes.indexOf(byte, at + 1)) count++;
  return count;
}

/** Cuts behind a line: whole lines have whole characters and, all but always, whole escape sequences. */
function endOfLine(head: Uint8Array): number {
  const end = head.lastIndexOf(LINE_FEED) + 1;
  return end > 0 ? end : endOfCharacter(head);
}

function startOfLine(tail: Uint8Array): number {
  const start = tail.indexOf(LINE_FEED) + 1;
  if (start > 0 && start < tail.byteLength) return start;
  let first = 0;
  while (first < tail.byteLength && isContinuation(tail[first])) first++;
  return first;
}

function endOfCharacter(head: Uint8Array): number {
  let end = head.byteLength;
  while (end > 0 && isContinuation(head[end - 1])) end--;
  return Math.max(0, end - 1);
}

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;
