/** Takes apart what a ByteWriter put together; never reads past the end. */
export class ByteReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  /** How many bytes are still to be read. */
  get left(): number {
    return this.#bytes.length - this.#at;
  }

  u8(): number {
    return this.#view.getUint8(this.#take(1));
  }

  u16(): number {
    return this.#view.getUint16(this.#take(2), true);
  }

  u32(): number {
    return this.#view.getUint32(this.#take(4), true);
  }

  i32(): number {
    return this.#view.getInt32(this.#take(4), true);
  }

  /** So many bytes; a view, not a copy. */
  raw(length: number): Uint8Array {
    const at = this.#take(length);
    return this.#bytes.subarray(at, at + length);
  }

  /** Bytes with their number before them. */
  sized(): Uint8Array {
    return this.raw(this.u16());
  }

  #take(bytes: number): number {
    if (bytes > this.left) throw new Error(`it ends ${bytes - this.left} bytes too early`);
    const at = this.#at;
    this.#at += bytes;
    return at;
  }
}
