/** Everything that was written, to look any part of it up again. */
export class WrittenBytes {
  #bytes = new Uint8Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  add(bytes: Uint8Array): void {
    const end = this.#length + bytes.byteLength;
    if (end > this.#bytes.byteLength) {
      const larger = new Uint8Array(Math.max(end, this.#bytes.byteLength * 2));
      larger.set(this.#bytes);
      this.#bytes = larger;
    }
    this.#bytes.set(bytes, this.#length);
    this.#length = end;
  }

  /** A copy of a part. */
  slice(start: number, end: number): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(start, Math.min(end, this.#length));
  }

  /** Whether these bytes stand at this place. */
  has(bytes: Uint8Array, start: number): boolean {
    if (start + bytes.byteLength > this.#length) return false;
    const end = start + bytes.byteLength;
    return Buffer.compare(bytes, this.#bytes.subarray(start, end)) === 0;
  }
}
