/** What the marker entry of the contracts allows: a chapter name must fit on one line of a player. */
export const MAX_LABEL_LENGTH = 256;

/** A program with its arguments as a title bar could show them; longer ones are scripts, not names. */
export const MAX_HEADER_COMMAND_LENGTH = 4096;

// oxlint-disable-next-line no-control-regex -- finding these control characters is the purpose
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g;

/** Unicode has a picture of each ASCII control character, in their order, from here on. */
const FIRST_CONTROL_PICTURE = 0x2400;
const PICTURE_OF_DELETE = "\u2421";
const REPLACEMENT = "\ufffd";

function toControlPicture(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return String.fromCharCode(FIRST_CONTROL_PICTURE + code);
  return code === 0x7f ? PICTURE_OF_DELETE : REPLACEMENT;
}

function shorten(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  // Half of a surrogate pair at the cut would be no character.
  const kept = text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "");
  return `${kept}…`;
}

/** Makes any text one that people can be shown on one line: short, well-formed, control characters as pictures; such a text stays as it is. */
export const toOneLine = (text: string, maxLength: number): string =>
  shorten(text, maxLength).toWellFormed().replace(CONTROL_CHARACTERS, toControlPicture);
