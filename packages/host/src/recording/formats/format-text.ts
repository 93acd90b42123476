/** The size of the largest output entry, so that both directions keep events whole. */
export const MAX_EVENT_BYTES = 64 * 1024;

const eventEncoder = new TextEncoder();

/** Cuts between characters into maximal parts of at most `MAX_EVENT_BYTES` of UTF-8. */
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

/** Like `cutText` for valid UTF-8; parts are copies, so that they do not keep the whole alive. */
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

// JSON leaves these unescaped; a terminal would obey the C1 controls, and some readers break lines at the others.
const RISKY_CHARACTERS = /[\u007f-\u009f\u2028\u2029]/g;

const escapeCharacter = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** JSON on one line, with every control character escaped. */
export const toJsonText = (value: object | string): string =>
  JSON.stringify(value).replace(RISKY_CHARACTERS, escapeCharacter);

/** Large enough that the cost per chunk does not count. */
const PIECE_LENGTH = 32 * 1024;

const utf8 = new TextEncoder();

/** Merges texts into UTF-8 chunks; each can be transferred to another thread. */
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

/** MAX_LABEL_LENGTH of the contracts: a chapter name is one line of a player. */
export const MAX_LABEL_LENGTH = 256;

/** A program with arguments as a title bar shows it; longer ones are scripts. */
export const MAX_HEADER_COMMAND_LENGTH = 4096;

// oxlint-disable-next-line no-control-regex -- finding these control characters is the purpose
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g;

/** The Control Pictures block, in the order of ASCII. */
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
  // Never cut a surrogate pair.
  const kept = text.slice(0, maxLength - 1).replace(/[\ud800-\udbff]$/, "");
  return `${kept}…`;
}

/** One displayable line: short, well-formed, control characters as pictures. Idempotent. */
export const toOneLine = (text: string, maxLength: number): string =>
  shorten(text, maxLength).toWellFormed().replace(CONTROL_CHARACTERS, toControlPicture);
