/**
 * Regular expressions over bytes that were made a string one to one (`latin1`): V8 runs them faster than a loop over bytes
 * in JavaScript. Each matches a single byte, so that the match ends one after where it began.
 */

/**
 * Nothing about these is of interest: colours and cursor moves with small numbers; modes of the cursor, of wrapping and
 * of synchronised output, which full-screen programs switch all the time; the common character sets.
 */
const ORDINARY = [
  String.raw`\[\d{0,4}(?:[;:]\d{0,4}){0,10}[@-~]`,
  String.raw`\[\?(?:7|12|25|2026)[hl]`,
  String.raw`[()][0AB]`,
].join("|");

/** ESC, unless it begins something ordinary that is complete. */
const ESCAPE = String.raw`\x1b(?!${ORDINARY})`;

/**
 * The first byte of a control character of the upper range in UTF-8. A byte such as 0x9d alone is no control: terminals of
 * UTF-8 take it for an invalid letter, and it is one in other character sets.
 */
const UPPER_CONTROL = String.raw`\xc2(?=[\x80-\x9f])`;

const anyOf = (...patterns: readonly string[]): RegExp => new RegExp(patterns.join("|"), "g");

/** Where something may begin that the parser has to look at; `ControlBytes` finds the same without a string. */
export const CONTROL_START = anyOf(ESCAPE, UPPER_CONTROL);

/** Where an OSC ends or is given up. */
export const OSC_END = anyOf(String.raw`[\x07\x18\x1a\x1b]`, UPPER_CONTROL);

/** Where any other string ends or is given up: BEL is part of it. */
export const STRING_END = anyOf(String.raw`[\x18\x1a\x1b]`, UPPER_CONTROL);

/** Finds the next byte that a pattern matches, or -1. */
export function findNext(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.test(text) ? pattern.lastIndex - 1 : -1;
}

/** The bytes as a string of the same length. */
export const toLatin1 = (bytes: Uint8Array<ArrayBuffer>): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("latin1");
