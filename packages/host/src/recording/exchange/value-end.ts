/** No attribute of a cast is nested deeper than three; more only costs memory for each bracket. */
const MAX_DEPTH = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

/** Tells whether JSON ignores the byte between values. */
export const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

/** `[` and `{`. */
const opens = (byte: number): boolean => byte === 0x5b || byte === 0x7b;

/** `]` and `}`. */
const closes = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

/** Where the part of a text ends that has neither quotes nor escapes: most of it, so it is worth a loop of its own. */
function plainEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at += 1;
  return at;
}

/** Finds where one JSON value ends by its quotes and brackets alone; whether it is JSON is for the parser to say. */
export class JsonValueScanner {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #hasBegun = false;

  /** True once it is nested so deep that looking for its end is given up. */
  get isTooDeep(): boolean {
    return this.#depth > MAX_DEPTH;
  }

  /** How many of the next bytes belong to the value when it ends in them, or nothing. */
  find(bytes: Uint8Array): number | undefined {
    for (let at = 0; at < bytes.length && !this.isTooDeep; at += 1) {
      if (this.#isInText && !this.#isEscaped) at = plainEnd(bytes, at);
      const byte = bytes[at];
      if (byte === undefined) return undefined;
      const own = this.#isInText ? this.#endInText(byte) : this.#endOutsideText(byte);
      if (own !== undefined) return at + own;
      this.#hasBegun = true;
    }
    return undefined;
  }

  /** 1 when the value ends with this byte. */
  #endInText(byte: number): 1 | undefined {
    if (this.#isEscaped) {
      this.#isEscaped = false;
    } else if (byte === BACKSLASH) {
      this.#isEscaped = true;
    } else if (byte === QUOTE) {
      this.#isInText = false;
      return this.#depth === 0 ? 1 : undefined;
    }
    return undefined;
  }

  /** 1 when the value ends with this byte, 0 when it ended before. */
  #endOutsideText(byte: number): 0 | 1 | undefined {
    if (this.#depth === 0 && this.#isAfterValue(byte)) return 0;
    if (byte === QUOTE) this.#isInText = true;
    if (opens(byte)) this.#depth += 1;
    if (!closes(byte)) return undefined;
    this.#depth -= 1;
    return this.#depth === 0 ? 1 : undefined;
  }

  #isAfterValue(byte: number): boolean {
    if (closes(byte) || byte === COMMA || isBlank(byte)) return true;
    return this.#hasBegun && (byte === QUOTE || opens(byte));
  }
}
