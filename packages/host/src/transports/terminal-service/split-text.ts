/** One control as terminals know them: a sequence, a string with its end, or another escape. */
const CONTROL =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)|[ -/]*[0-~])/y;

const ESC = "\u001b";

/** Text in parts of at most this length, without cutting a character or a control that fits in one. */
export function splitText(text: string, maxLength: number): readonly string[] {
  const parts: string[] = [];
  let at = 0;
  do {
    const end = findSplit(text, at, at + maxLength);
    parts.push(text.slice(at, end));
    at = end;
  } while (at < text.length);
  return parts;
}

function findSplit(text: string, start: number, limit: number): number {
  if (limit >= text.length) return text.length;
  let end = limit;
  // A string has a second escape in its end, so that the one before the last may be its beginning.
  for (let look = 0, at = limit; look < 2 && at > start; look++) {
    at = text.lastIndexOf(ESC, at - 1);
    if (at <= start) break;
    CONTROL.lastIndex = at;
    const control = CONTROL.exec(text);
    if (!control || at + control[0].length > limit) end = at;
  }
  const isCut = /[\ud800-\udbff]/.test(text.charAt(end - 1));
  return isCut ? end - 1 : end;
}
