import { NacreError } from "@nacre/contracts/plain";
import { MAX_QUEUED_INPUT_BYTES } from "./pty.ts";

/** How soon a full terminal is tried again, and how rarely at last: a program that never reads costs next to nothing. */
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 50;

/** What waits is copied into blocks of this size, so that a million keystrokes cost no more than one paste. */
const BLOCK_BYTES = 16 * 1024;

/**
 * Input that waits for a program to read: bounded, in order, never blocking. libuv would block the whole process on
 * a master that is full, so the kernel is asked directly and, when it is full, again later.
 */
export class InputQueue {
  readonly #blocks: Uint8Array[] = [];
  readonly #offer: (bytes: Uint8Array) => number;
  /** Where the first block's unread bytes begin, and where the last block's free bytes do. */
  #from = 0;
  #to = BLOCK_BYTES;
  #queuedBytes = 0;
  #retryMs = FIRST_RETRY_MS;
  #timer: NodeJS.Timeout | undefined;

  /** `offer` hands bytes to the kernel and says how many it took, 0 or less when it is full. */
  constructor(offer: (bytes: Uint8Array) => number) {
    this.#offer = offer;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Takes all of the bytes, or throws `input_queue_full` and takes none. */
  push(bytes: Uint8Array): void {
    if (this.#queuedBytes + bytes.byteLength > MAX_QUEUED_INPUT_BYTES) {
      throw new NacreError(
        "input_queue_full",
        `${this.#queuedBytes} bytes of input already wait for the program; ${bytes.byteLength} more would exceed ${MAX_QUEUED_INPUT_BYTES}`,
      );
    }
    let rest = bytes;
    while (rest.byteLength > 0 && this.#queuedBytes === 0) {
      const taken = this.#offer(rest);
      if (taken <= 0) break;
      rest = rest.subarray(taken);
    }
    if (rest.byteLength === 0) return;
    this.#store(rest);
    this.#retryLater();
  }

  /** Offers what waits; worth calling whenever the program gave a sign of life. */
  flush(): void {
    while (this.#queuedBytes > 0) {
      const block = this.#blocks[0]!;
      const end = this.#blocks.length === 1 ? this.#to : BLOCK_BYTES;
      const taken = this.#offer(block.subarray(this.#from, end));
      if (taken <= 0) return this.#retryLater();
      this.#retryMs = FIRST_RETRY_MS;
      this.#queuedBytes -= taken;
      this.#from += taken;
      if (this.#from === end) {
        this.#blocks.shift();
        this.#from = 0;
      }
    }
    this.clear();
  }

  /** Drops what waits: the program it was meant for is gone. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#blocks.length = 0;
    this.#from = 0;
    this.#to = BLOCK_BYTES;
    this.#queuedBytes = 0;
    this.#retryMs = FIRST_RETRY_MS;
  }

  #store(bytes: Uint8Array): void {
    this.#queuedBytes += bytes.byteLength;
    for (let rest = bytes; rest.byteLength > 0;) {
      if (this.#to === BLOCK_BYTES) {
        this.#blocks.push(new Uint8Array(BLOCK_BYTES));
        this.#to = 0;
      }
      const part = rest.subarray(0, BLOCK_BYTES - this.#to);
      this.#blocks.at(-1)!.set(part, this.#to);
      this.#to += part.byteLength;
      rest = rest.subarray(part.byteLength);
    }
  }

  #retryLater(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, this.#retryMs);
    this.#retryMs = Math.min(this.#retryMs * 2, LAST_RETRY_MS);
  }
}
