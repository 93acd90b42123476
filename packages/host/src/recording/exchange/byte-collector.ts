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
