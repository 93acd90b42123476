import { NacreError } from "@nacre/contracts/plain";
import { MAX_QUEUED_INPUT_BYTES } from "./pty.ts";

/** Retry interval for a full terminal, with backoff: a program that never reads costs next to nothing. */
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 50;

/** Queued input is copied into blocks of this size, so that a million keystrokes cost no more than one paste. */
const BLOCK_BYTES = 16 * 1024;

/**
 * Input that waits for a program to read: bounded, ordered, non-blocking. libuv would block the whole process on a full
 * master, so it is written directly and retried later.
 */
export class InputQueue {
  readonly #blocks: Uint8Array[] = [];
  readonly #offer: (bytes: Uint8Array) => number;
  /** Start of unread bytes in the first block, and of free bytes in the last. */
  #from = 0;
  #to = BLOCK_BYTES;
  #queuedBytes = 0;
  #retryMs = FIRST_RETRY_MS;
  #timer: NodeJS.Timeout | undefined;

  /** `offer` writes to the kernel and returns how many bytes it took; 0 or less when it is full. */
  constructor(offer: (bytes: Uint8Array) => number) {
    this.#offer = offer;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** All of the bytes, or throws `input_queue_full`. */
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

  /** Call whenever the program gave a sign of life. */
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

  /** The program is gone. */
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
