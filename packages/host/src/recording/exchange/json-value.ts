import { ByteCollector } from "./byte-collector.ts";
import { type ByteCursor, END_OF_FILE } from "./byte-cursor.ts";
import { MalformedCastError } from "./malformed.ts";
import { isBlank, JsonValueScanner } from "./value-end.ts";

/** Headers have some hundred values at most, events three; each value costs many times the memory of its text. */
const MAX_VALUES = 4096;

/** Texts up to this length are parsed at once: however many values they have, those are few. */
const SHORT_TEXT_LENGTH = 4096;

/** More white space than this between two values is only there to keep the reader busy. */
const MAX_BLANK_BYTES = 256 * 1024;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The bytes of a JSON value as far as they could be had, and what kept the rest away. */
interface GatheredValue {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly problem?: string;
}

/** Takes white space, and answers the byte that follows it. */
export function skipBlank(cursor: ByteCursor): number {
  if (!isBlank(cursor.peek())) return cursor.peek();
  const from = cursor.position;
  for (let rest = cursor.rest(); rest.length > 0; rest = cursor.rest()) {
    let blanks = 0;
    while (isBlank(rest[blanks] ?? END_OF_FILE)) blanks += 1;
    cursor.advance(blanks);
    if (blanks < rest.length) break;
    if (cursor.position - from > MAX_BLANK_BYTES) {
      throw new MalformedCastError(`more than ${MAX_BLANK_BYTES} bytes of white space`);
    }
  }
  return cursor.peek();
}

/** Takes the bytes of the JSON value that begins at the cursor, without parsing it. */
export function gatherValue(cursor: ByteCursor, maxBytes: number): GatheredValue {
  const gathered = new ByteCollector(maxBytes);
  const end = new JsonValueScanner();
  for (let rest = cursor.rest(); rest.length > 0; rest = cursor.rest()) {
    const ownBytes = end.find(rest);
    const part = rest.subarray(0, Math.min(ownBytes ?? rest.length, gathered.spaceBytes));
    gathered.add(part);
    cursor.advance(part.length);
    const { bytes } = gathered;
    if (ownBytes === part.length) return { bytes };
    if (end.isTooDeep) return { bytes, problem: "brackets are nested too deep" };
    if (part.length === rest.length) continue;
    return { bytes, problem: `more than ${maxBytes} bytes in a value` };
  }
  return { bytes: gathered.bytes, problem: "the file ends inside a value" };
}

/** Takes the text of the JSON value that begins at the cursor. */
export function takeValue(cursor: ByteCursor, maxBytes: number): string {
  const rest = cursor.rest();
  const ownBytes = new JsonValueScanner().find(rest);
  if (ownBytes !== undefined && ownBytes <= maxBytes) {
    // Most values are whole in one piece of the file, and need not be gathered.
    const text = utf8.decode(rest.subarray(0, ownBytes));
    cursor.advance(ownBytes);
    return text;
  }
  const { bytes, problem } = gatherValue(cursor, maxBytes);
  if (problem !== undefined) throw new MalformedCastError(problem);
  return utf8.decode(bytes);
}

/** Takes one byte that must be there. */
export function takeByte(cursor: ByteCursor, expected: string): void {
  if (cursor.peek() !== expected.charCodeAt(0)) {
    const found = cursor.peek() === END_OF_FILE ? "the file ends" : "there is something else";
    throw new MalformedCastError(`${found} where \`${expected}\` must be`);
  }
  cursor.advance(1);
}

/** Counts what begins a value after the first, outside of strings. */
function hasTooManyValues(text: string): boolean {
  let count = 0;
  for (let at = 0; at < text.length && count <= MAX_VALUES; at += 1) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (character === "[" || character === "{" || character === ",") count += 1;
  }
  return count > MAX_VALUES;
}

function endOfString(text: string, quote: number): number {
  for (let at = quote + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"') return at;
    if (character === "\\") at += 1;
  }
  return text.length;
}

/** Parses JSON that cannot cost much more memory than its text. */
export function parseJson(text: string): unknown {
  if (text.length > SHORT_TEXT_LENGTH && hasTooManyValues(text)) {
    throw new MalformedCastError(`more than ${MAX_VALUES} values`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the text, which is not fit to be shown.
    throw new MalformedCastError("not JSON");
  }
}
