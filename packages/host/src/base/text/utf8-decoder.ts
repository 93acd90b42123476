import { incompleteBytes } from "../utf8.ts";

const NOTHING = new Uint8Array(0);

/** Streams UTF-8 like a WHATWG TextDecoder, but can say which bytes it still holds. */
export class Utf8Decoder {
  // A BOM is an invisible character like any other: where a stream begins must not matter.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #begun: Uint8Array;

  constructor(begun: Uint8Array = NOTHING) {
    this.#begun = begun.slice();
  }

  get begun(): Uint8Array {
    return this.#begun;
  }

  decode(bytes: Uint8Array): string {
    const all = this.#begun.byteLength === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    const complete = all.byteLength - incompleteBytes(all, all.byteLength);
    // A copy, because the caller may fill its buffer again.
    this.#begun = complete === all.byteLength ? NOTHING : all.slice(complete);
    return this.#decoder.decode(all.subarray(0, complete));
  }

  /** For incomplete bytes at the end. */
  end(): string {
    const text = this.#decoder.decode(this.#begun);
    this.#begun = NOTHING;
    return text;
  }
}
