import type { Chunk } from "./pty.ts";

/** A chunk is handed over at this size; at 16 to 64 KiB the cost per byte of everything downstream is at its floor. */
export const CHUNK_BYTES = 64 * 1024;

/** After one chunk was handed over the next waits this long for more bytes, so that a flood becomes few chunks. */
export const MERGE_MS = 4;

/** Reading from the kernel stops when this much waits for a reader. */
export const MAX_QUEUED_OUTPUT_BYTES = 4 * CHUNK_BYTES;

/** Orders the bytes of one Pty for one reader: the first at once, then merged by time and size; nothing is dropped. */
export class OutputQueue {
  readonly #full: Uint8Array<ArrayBuffer>[] = [];
  readonly #onRoom: () => void;
  #open: Uint8Array<ArrayBuffer> | undefined;
  #spare: Uint8Array<ArrayBuffer> | undefined;
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

  /** Position after the last byte pushed. */
  get endOffset(): number {
    return this.#offset + this.#queuedBytes;
  }

  get isFull(): boolean {
    return this.#queuedBytes >= MAX_QUEUED_OUTPUT_BYTES;
  }

  /** Copies bytes in; the caller may reuse its buffer at once. */
  push(bytes: Uint8Array): void {
    if (this.#waiting && this.#queuedBytes === 0 && this.#mayHandOver()) {
      this.#queuedBytes = bytes.byteLength;
      this.#handOver(new Uint8Array(bytes));
      return;
    }
    for (let rest = bytes; rest.byteLength > 0;) {
      const part = rest.subarray(0, CHUNK_BYTES - this.#openBytes);
      this.reserve().set(part);
      this.#add(part.byteLength);
      rest = rest.subarray(part.byteLength);
    }
    this.#serve();
  }

  /** Room that the next bytes can be read into without a copy; `commit` says how many there were. */
  reserve(): Uint8Array {
    this.#open ??= this.#takeSpare();
    return this.#open.subarray(this.#openBytes);
  }

  /** Takes the first bytes of what was reserved. */
  commit(bytes: number): void {
    this.#add(bytes);
    this.#serve();
  }

  /** What comes next answers an input, and whoever typed it waits: it is not merged with more. */
  hurry(): void {
    this.#lastHandOver = -Infinity;
    this.#serve();
  }

  /** No more bytes will come; what is queued can still be read. */
  end(): void {
    this.#ended = true;
    this.#serve();
  }

  /** The next chunk, when there is one; see `Pty.read` for what a spare is. */
  read(spare?: Uint8Array<ArrayBuffer>): Promise<Chunk | undefined> {
    if (this.#waiting) throw new Error("a Pty is read by one reader, one call at a time");
    // Only a whole chunk can be filled again; anything else belongs to a larger buffer of somebody else.
    const isWhole = spare?.byteLength === CHUNK_BYTES && spare.buffer.byteLength === CHUNK_BYTES;
    if (isWhole) this.#spare = spare;
    return new Promise((resolve) => {
      this.#waiting = resolve;
      this.#serve();
    });
  }

  /** Memory that was just used is in the cache, and fresh memory costs a page fault per 4 KiB: a third of all the work. */
  #takeSpare(): Uint8Array<ArrayBuffer> {
    const spare = this.#spare ?? new Uint8Array(CHUNK_BYTES);
    this.#spare = undefined;
    return spare;
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
    return this.#ended || performance.now() - this.#lastHandOver >= MERGE_MS;
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
    if (!this.#open) return;
    // Shrinking keeps one owner of exactly the bytes, so that the chunk can be transferred.
    this.#full.push(
      this.#openBytes === CHUNK_BYTES
        ? this.#open
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
