/**
 * Regular expressions over bytes as a `latin1` string: V8 runs them faster than a loop over bytes. Each matches a
 * single byte, so that the match ends one after where it began.
 */

/**
 * Irrelevant to the parser: SGR and cursor moves with small numbers; cursor, wrap and synchronised-output modes, which
 * full-screen programs switch constantly; common character sets.
 */
const ORDINARY = [
  String.raw`\[\d{0,4}(?:[;:]\d{0,4}){0,10}[@-~]`,
  String.raw`\[\?(?:7|12|25|2026)[hl]`,
  String.raw`[()][0AB]`,
].join("|");

/** ESC, unless it begins a complete ordinary sequence. */
const ESCAPE = String.raw`\x1b(?!${ORDINARY})`;

/**
 * The first byte of a C1 control in UTF-8. A lone byte such as 0x9d is not a control: UTF-8 terminals take it for an
 * invalid character, and other encodings for a letter.
 */
const UPPER_CONTROL = String.raw`\xc2(?=[\x80-\x9f])`;

const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join("|"), "g");

/** Where a sequence may begin that the parser must inspect; `ControlBytes` finds the same without a string. */
export const CONTROL_START = anyOf(ESCAPE, UPPER_CONTROL);

/** Where an OSC ends or is aborted. */
export const OSC_END = anyOf(String.raw`[\x07\x18\x1a\x1b]`, UPPER_CONTROL);

/** Where any other string ends or is aborted; BEL is part of it. */
export const STRING_END = anyOf(String.raw`[\x18\x1a\x1b]`, UPPER_CONTROL);

/** Index of the next match, or -1. */
export function findNext(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : -1;
}

/** A string of the same length. */
export const toLatin1 = (bytes: Uint8Array<ArrayBuffer>): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");

const ESC = 0x1b;
const UPPER = 0xc2;

const QUESTION = 0x3f;
const BRACKET = 0x5b;

/** A sequence with longer numbers, or more of them, is inspected. */
const MAX_DIGITS = 4;
const MAX_SEPARATORS = 10;

/** Modes that full-screen programs switch constantly, by number of digits. */
const ORDINARY_MODES: readonly (readonly number[])[] = [[], [7], [12, 25], [], [2026]];

/** Bytes in which escape sequences are looked for. Most have none to look at, and need not become a string. */
export class ControlBytes {
  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #words: Int32Array;
  #text: string | undefined;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#words = new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >> 2);
  }

  /** One character per byte. */
  text(from: number, to: number): string {
    return (this.#text ??= toLatin1(this.#bytes)).slice(from, to);
  }

  /** Where the next escape sequence may begin that the parser has to look at, or -1: what `CONTROL_START` finds in all of the text. */
  next(from: number): number {
    const { byteOffset, length } = this.#bytes;
    const endWord = (byteOffset + length) >> 2;
    let at = from;
    while (at < length) {
      const place = byteOffset + at;
      if ((place & 3) === 0) {
        at = (endOfText(this.#words, place >> 2, endWord) << 2) - byteOffset;
        if (at >= length) break;
      }
      const byte = this.#bytes[at]!;
      if (byte === ESC) {
        const end = this.#endOfOrdinary(at + 1);
        if (end < 0) return at;
        at = end;
      } else if (byte >= 0x80 && this.#isStart(byte, at)) return at;
      else at++;
    }
    return -1;
  }

  #isStart(byte: number, at: number): boolean {
    return byte === UPPER && isUpperControl(this.#bytes[at + 1]);
  }

  /** End of an ordinary sequence whose ESC is before this place; -1 when it is another or incomplete. */
  #endOfOrdinary(at: number): number {
    const bytes = this.#bytes;
    const first = bytes[at];
    if (first !== BRACKET) return isCharacterSet(first, bytes[at + 1]) ? at + 2 : -1;
    if (bytes[at + 1] === QUESTION) return this.#endOfMode(at + 2);
    let [digits, separators] = [0, 0];
    for (let next = at + 1; next < bytes.length; next++) {
      const byte = bytes[next]!;
      if (byte >= 0x30 && byte <= 0x39) {
        if (++digits > MAX_DIGITS) return -1;
      } else if (byte === 0x3a || byte === 0x3b) {
        if (++separators > MAX_SEPARATORS) return -1;
        digits = 0;
      } else return byte >= 0x40 && byte <= 0x7e ? next + 1 : -1;
    }
    return -1;
  }

  #endOfMode(from: number): number {
    let mode = 0;
    let at = from;
    for (; at - from <= MAX_DIGITS; at++) {
      const byte = this.#bytes[at] ?? 0;
      if (byte < 0x30 || byte > 0x39) break;
      mode = mode * 10 + byte - 0x30;
    }
    const final = this.#bytes[at];
    const isSwitch = final === 0x68 || final === 0x6c;
    return isSwitch && ORDINARY_MODES[at - from]?.includes(mode) ? at + 1 : -1;
  }
}

/** First word that contains ESC or a non-ASCII byte: tests the high bits of four bytes at once. */
function endOfText(words: Int32Array, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const word = words[at]!;
    const other = word ^ 0x1b1b1b1b;
    if ((((other - 0x01010101) & ~other) | word) & 0x80808080) break;
    at++;
  }
  return at;
}

const isUpperControl = (second: number | undefined): boolean =>
  second !== undefined && second >= 0x80 && second <= 0x9f;

/** SCS: `(` or `)`, then `0`, `A` or `B`. */
const isCharacterSet = (first: number | undefined, second: number | undefined): boolean =>
  (first === 0x28 || first === 0x29) && (second === 0x30 || second === 0x41 || second === 0x42);
