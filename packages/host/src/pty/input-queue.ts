import { NacreError } from "@nacre/contracts";
import { MAX_QUEUED_INPUT_BYTES } from "./pty.ts";

/** How soon a full terminal is tried again, and how rarely at last: a program that never reads costs next to nothing. */
const FIRST_RETRY_MS = 1;
const LAST_RETRY_MS = 50;

/** How much is offered to the kernel at once; it takes some 12 KiB before the program must read. */
const OFFER_BYTES = 64 * 1024;

/**
 * Input that waits for a program to read: bounded, in order, never blocking. libuv would block the whole process on
 * a master that is full, so the kernel is asked directly and, when it is full, again later.
 */
export class InputQueue {
  readonly #waiting: Uint8Array[] = [];
  readonly #offer: (bytes: Uint8Array) => number;
  #queuedBytes = 0;
  #retryMs = FIRST_RETRY_MS;
  #timer: NodeJS.Timeout | undefined;

  /** `offer` hands bytes to the kernel and says how many it took, 0 when it is full. */
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
    if (bytes.byteLength === 0) return;
    this.#waiting.push(bytes);
    this.#queuedBytes += bytes.byteLength;
    if (this.#waiting.length === 1) this.flush();
  }

  /** Offers what waits; worth calling whenever the program gave a sign of life. */
  flush(): void {
    while (this.#waiting.length > 0) {
      const first = this.#waiting[0]!;
      const taken = this.#offer(first.subarray(0, OFFER_BYTES));
      if (taken <= 0) return this.#retryLater();
      this.#retryMs = FIRST_RETRY_MS;
      this.#queuedBytes -= taken;
      if (taken === first.byteLength) this.#waiting.shift();
      else this.#waiting[0] = first.subarray(taken);
    }
  }

  /** Drops what waits: the program it was meant for is gone. */
  clear(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.length = 0;
    this.#queuedBytes = 0;
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
