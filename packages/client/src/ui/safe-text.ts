/** What could act on a terminal, or make a line look like another one: controls, writing directions, characters without width, and ends of lines. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/** What may stay in a text of several lines: the ends of its lines. */
const UNSAFE_IN_LINES = /(?!\n)[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

const LAST_OF_ONE_UNIT = 0xffff;

/** A text that others wrote, with everything made visible that is not shown as it is; always one line. */
export const safeText = (text: string): string => text.replaceAll(UNSAFE, escapeOf);

/** A text of several lines that others wrote, made visible as `safeText` does; tabs become blanks. */
export const safeLines = (text: string): string =>
  text.replaceAll("\r\n", "\n").replaceAll("\t", "    ").replaceAll(UNSAFE_IN_LINES, escapeOf);

/** A value as one line of JSON that can be shown in a terminal, and that reads as the very same value. */
export const safeJson = (value: unknown): string =>
  // Outside of its strings JSON on one line has none of these, and inside they may be escaped.
  JSON.stringify(value).replaceAll(UNSAFE, escapeOf);

function escapeOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code <= LAST_OF_ONE_UNIT
    ? unit(code)
    : unit(character.charCodeAt(0)) + unit(character.charCodeAt(1));
}

const unit = (code: number): string => `\\u${code.toString(16).padStart(4, "0")}`;
