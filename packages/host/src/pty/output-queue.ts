import type { Chunk } from "./pty.ts";
import { acquireBuffer, CHUNK_BYTES, releaseBuffer } from "../base/buffer-pool.ts";

/** How long the exit waits for the end of output while another program keeps the terminal open. */
const DRAIN_MS = 500;

/** Retry interval while bytes are still readable. */
const DRAIN_AGAIN_MS = 20;

interface OutputDrainOptions {
  /** More after the exit was written by another program. */
  readonly maxBytes: number;
  isReadable(): boolean;
  /** The end of output did not come; report the exit without it. */
  giveUp(): void;
}

/** Decides how long the rest of an ended program's output is drained, even for a reader that is behind. */
export class OutputDrain {
  readonly #options: OutputDrainOptions;
  #fromOffset = 0;
  #isOn = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(options: OutputDrainOptions) {
    this.#options = options;
  }

  /** Everything readable has to be read now. */
  get isOn(): boolean {
    return this.#isOn;
  }

  /** The program ended after this many bytes. */
  start(offset: number): void {
    this.#isOn = true;
    this.#fromOffset = offset;
    this.#timer = setTimeout(() => this.#check(), DRAIN_MS);
  }

  handleRead(offset: number): void {
    if (offset - this.#fromOffset >= this.#options.maxBytes) this.#isOn = false;
  }

  stop(): void {
    clearTimeout(this.#timer);
  }

  #check(): void {
    if (this.#isOn && this.#options.isReadable()) {
      this.#timer = setTimeout(() => this.#check(), DRAIN_AGAIN_MS);
      return;
    }
    this.#isOn = false;
    this.#options.giveUp();
  }
}

export { CHUNK_BYTES };

/** A chunk of this size keeps its whole buffer, which is reused; a smaller one is copied. */
export const LARGE_CHUNK_BYTES = 32 * 1024;

/** A chunk of this size is not merged further. Recording and drawing cost per chunk, so fewer are better in a flood. */
export const MERGE_BYTES = 96 * 1024;

/** After one chunk the next waits this long for more bytes, unless it is large enough. */
export const MERGE_MS = 4;

/** Reading from the kernel stops when this much is queued. */
export const MAX_QUEUED_OUTPUT_BYTES = 3 * CHUNK_BYTES;

/** Orders a PTY's bytes for one reader: the first chunk at once, then merged by time and size; nothing is dropped. */
export class OutputQueue {
  readonly #full: Uint8Array<ArrayBuffer>[] = [];
  readonly #onRoom: () => void;
  #open: Uint8Array<ArrayBuffer> | undefined;
  #openBytes = 0;
  #offset: number;
  #queuedBytes = 0;
  #ended = false;
  #waiting: ((chunk: Chunk | undefined) => void) | undefined;
  #timer: NodeJS.Timeout | undefined;
  #lastHandOver = -Infinity;

  constructor(onRoom: () => void, offset = 0) {
    this.#onRoom = onRoom;
    this.#offset = offset;
  }

  get endOffset(): number {
    return this.#offset + this.#queuedBytes;
  }

  get isFull(): boolean {
    return this.#queuedBytes >= MAX_QUEUED_OUTPUT_BYTES;
  }

  /** Copies; the caller may reuse its buffer at once. */
  push(bytes: Uint8Array): void {
    if (this.#waiting && this.#queuedBytes === 0 && this.#mayHandOver()) {
      this.#queuedBytes = bytes.byteLength;
      this.#handOver(new Uint8Array(bytes));
      return;
    }
    for (let rest = bytes; rest.byteLength > 0;) {
      const room = this.reserve(1);
      const part = rest.subarray(0, room.byteLength);
      room.set(part);
      this.#add(part.byteLength);
      rest = rest.subarray(part.byteLength);
    }
    this.#serve();
  }

  /** Room to read into without a copy; `commit` says how many bytes there were. */
  reserve(atLeastBytes: number): Uint8Array {
    if (CHUNK_BYTES - this.#openBytes < atLeastBytes) this.#closeOpen();
    this.#open ??= acquireBuffer();
    return this.#open.subarray(this.#openBytes);
  }

  commit(bytes: number): void {
    this.#add(bytes);
    this.#serve();
  }

  /** The next output answers an input: it is not merged with more. */
  hurry(): void {
    this.#lastHandOver = -Infinity;
    this.#serve();
  }

  /** Queued bytes can still be read. */
  end(): void {
    this.#ended = true;
    this.#serve();
  }

  /** See `Pty.read` for `spare`. */
  read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined> {
    if (this.#waiting) throw new Error("a Pty is read by one reader, one call at a time");
    if (spare) releaseBuffer(spare);
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#serve();
    });
  }

  #add(bytes: number): void {
    this.#openBytes += bytes;
    this.#queuedBytes += bytes;
    if (this.#openBytes === CHUNK_BYTES) this.#closeOpen();
  }

  #serve(): void {
    if (!this.#waiting) return;
    if (this.#full.length === 0 && this.#openBytes > 0) {
      if (!this.#mayHandOver()) return this.#waitToMerge();
      this.#closeOpen();
    }
    const bytes = this.#full.shift();
    if (bytes) this.#handOver(bytes);
    else if (this.#ended) this.#resolve(undefined);
  }

  #mayHandOver(): boolean {
    if (this.#ended || this.#openBytes >= MERGE_BYTES) return true;
    return performance.now() - this.#lastHandOver >= MERGE_MS;
  }

  #waitToMerge(): void {
    if (this.#timer) return;
    const dueMs = Math.max(0, this.#lastHandOver + MERGE_MS - performance.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#serve();
    }, dueMs);
  }

  #closeOpen(): void {
    if (!this.#open || this.#openBytes === 0) return;
    // A large chunk is the first part of its buffer, which can be reused; a small one is copied.
    this.#full.push(
      this.#openBytes >= LARGE_CHUNK_BYTES
        ? this.#open.subarray(0, this.#openBytes)
        : new Uint8Array(this.#open.buffer.transfer(this.#openBytes)),
    );
    this.#open = undefined;
    this.#openBytes = 0;
  }

  #handOver(bytes: Uint8Array<ArrayBuffer>): void {
    const chunk = { offset: this.#offset, bytes };
    const wasFull = this.isFull;
    this.#offset += bytes.byteLength;
    this.#queuedBytes -= bytes.byteLength;
    this.#lastHandOver = performance.now();
    this.#resolve(chunk);
    if (wasFull && !this.isFull) this.#onRoom();
  }

  #resolve(chunk: Chunk | undefined): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const waiting = this.#waiting;
    this.#waiting = undefined;
    waiting?.(chunk);
  }
}
