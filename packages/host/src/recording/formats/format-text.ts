/** No event of a cast holds more than the largest output Entry does, so that both directions keep events as they are. */
export const MAX_EVENT_BYTES = 64 * 1024;

const eventEncoder = new TextEncoder();

/** Cuts text between characters into parts of at most `MAX_EVENT_BYTES` of UTF-8, each as long as possible. */
export function* cutText(text: string): Generator<string> {
  let rest = text;
  if (Buffer.byteLength(rest) > MAX_EVENT_BYTES) {
    const room = new Uint8Array(MAX_EVENT_BYTES);
    for (let { read } = eventEncoder.encodeInto(rest, room); read < rest.length;) {
      yield rest.slice(0, read);
      rest = rest.slice(read);
      ({ read } = eventEncoder.encodeInto(rest, room));
    }
  }
  if (rest !== "") yield rest;
}

const isInsideCharacter = (byte: number | undefined): boolean =>
  byte !== undefined && (byte & 0xc0) === 0x80;

/** Cuts valid UTF-8 as `cutText` cuts text; parts do not keep the memory of the whole alive. */
export function cutBytes(bytes: Uint8Array<ArrayBuffer>): readonly Uint8Array<ArrayBuffer>[] {
  if (bytes.length <= MAX_EVENT_BYTES) return bytes.length === 0 ? [] : [bytes];
  const parts: Uint8Array<ArrayBuffer>[] = [];
  for (let start = 0; start < bytes.length;) {
    let end = Math.min(start + MAX_EVENT_BYTES, bytes.length);
    while (isInsideCharacter(bytes[end])) end -= 1;
    parts.push(bytes.slice(start, end));
    start = end;
  }
  return parts;
}

// JSON leaves these as they are; a terminal that is shown the file would obey the first, some readers break lines at the others.
const RISKY_CHARACTERS = /[\u007f-\u009f\u2028\u2029]/g;

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** Writes a value as JSON in one line, with every control character escaped. */
export const toJsonText = (value: object | string): string =>
  JSON.stringify(value).replace(RISKY_CHARACTERS, escapeCharacter);

/** How many characters are gathered before they are handed on: enough that the cost per piece does not count. */
const PIECE_LENGTH = 32 * 1024;

const utf8 = new TextEncoder();

/** Gathers texts into pieces of UTF-8 that are worth handing on; a piece can be transferred to another thread. */
export function* encodePieces(texts: Iterable<string>): Generator<Uint8Array<ArrayBuffer>> {
  let gathered = "";
  for (const text of texts) {
    gathered += text;
    if (gathered.length < PIECE_LENGTH) continue;
    yield utf8.encode(gathered);
    gathered = "";
  }
  if (gathered !== "") yield utf8.encode(gathered);
}

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
