/** The end of an output says more than its beginning: that is where errors are. */
const HEAD_SHARE = 0.4;

const LINE_FEED = 0x0a;

/** What is shown of an output. */
export interface Shown {
  readonly text: string;
  readonly bytes: number;
  readonly omittedBytes: number;
}

/** Keeps the beginning and the end of what is read, and counts the rest. */
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

  /** What there is so far; where the middle is left out, a line says so. */
  read(): Shown {
    const isWhole = this.#head.byteLength + this.#tail.byteLength === this.#bytes;
    if (isWhole) {
      const text = Buffer.concat([this.#head, this.#tail]).toString();
      return { text, bytes: this.#bytes, omittedBytes: 0 };
    }
    const [head, tail] = [wholeLines(this.#head), fromNextLine(this.#tail)];
    const omittedBytes = this.#bytes - head.byteLength - tail.byteLength;
    const notice = `[${omittedBytes} of ${this.#bytes} bytes left out here]`;
    const text = [head.toString().replace(/\n$/, ""), notice, tail.toString()].join("\n");
    return { text, bytes: this.#bytes, omittedBytes };
  }
}

/** Whole lines have whole characters and, all but always, whole escape sequences. */
function wholeLines(head: Buffer): Buffer {
  const end = head.lastIndexOf(LINE_FEED) + 1;
  return end > 0 ? head.subarray(0, end) : head;
}

function fromNextLine(tail: Buffer): Buffer {
  const start = tail.indexOf(LINE_FEED) + 1;
  return start < tail.byteLength ? tail.subarray(start) : tail;
}
