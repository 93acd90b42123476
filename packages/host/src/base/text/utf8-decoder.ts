/** Longest incomplete beginning of a character. */
export const MAX_BEGUN_BYTES = 3;

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
    const complete = all.byteLength - countBegunBytes(all);
    // A copy, because the caller may reuse its buffer.
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

/** Bytes of an incomplete character at the end. */
function countBegunBytes(bytes: Uint8Array): number {
  const end = bytes.byteLength;
  for (let back = 1; back <= MAX_BEGUN_BYTES && back <= end; back++) {
    const byte = bytes[end - back] ?? 0;
    if (byte >= 0x80 && byte < 0xc0) continue;
    const isBegun =
      back < lengthFromLead(byte) && (back === 1 || mayFollow(byte, bytes[end - back + 1] ?? 0));
    return isBegun ? back : 0;
  }
  return 0;
}

function lengthFromLead(lead: number): number {
  if (lead < 0xc2 || lead > 0xf4) return 1;
  if (lead < 0xe0) return 2;
  return lead < 0xf0 ? 3 : 4;
}

/** Overlong forms, surrogates and values beyond Unicode show in the second byte. */
function mayFollow(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second < 0x90;
  return true;
}
