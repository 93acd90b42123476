/** The longest beginning of a character that can still become one: a character has at most 4 bytes. */
export const MAX_BEGUN_BYTES = 3;

const NOTHING = new Uint8Array(0);

/** Decodes UTF-8 piece by piece as a WHATWG TextDecoder does; unlike one, it can say which bytes it still holds. */
export class Utf8Decoder {
  // A byte order mark is an invisible character like any other: where a stream begins must not matter.
  readonly #decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  #begun: Uint8Array;

  constructor(begun: Uint8Array = NOTHING) {
    this.#begun = begun.slice();
  }

  /** The bytes of a character that is not complete yet. */
  get begun(): Uint8Array {
    return this.#begun;
  }

  /** The characters that are complete with these bytes. */
  decode(bytes: Uint8Array): string {
    const all = this.#begun.byteLength === 0 ? bytes : Buffer.concat([this.#begun, bytes]);
    const complete = all.byteLength - countBegunBytes(all);
    // A copy, because the caller may fill its buffer again.
    this.#begun = complete === all.byteLength ? NOTHING : all.slice(complete);
    return this.#decoder.decode(all.subarray(0, complete));
  }

  /** What the bytes that are still held stand for when no more come. */
  end(): string {
    const text = this.#decoder.decode(this.#begun);
    this.#begun = NOTHING;
    return text;
  }
}

/** How many bytes at the end are the beginning of a character that more bytes could complete. */
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

/** Overlong forms, surrogates and code points past the last are already wrong at their second byte. */
function mayFollow(lead: number, second: number): boolean {
  if (lead === 0xe0) return second >= 0xa0;
  if (lead === 0xed) return second < 0xa0;
  if (lead === 0xf0) return second >= 0x90;
  if (lead === 0xf4) return second < 0x90;
  return true;
}
