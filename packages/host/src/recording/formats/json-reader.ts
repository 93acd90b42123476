import { ByteCollector, type ByteCursor, END_OF_FILE, MalformedCastError } from "./byte-cursor.ts";

const CLOSING_BRACE = "}".charCodeAt(0);

/** Reads an object member by member, so that a large member can be streamed. */
export class JsonObjectReader {
  readonly #cursor: ByteCursor;
  readonly #maxBytes: number;
  #usedBytes = 0;
  #hasBegun = false;

  /** `maxBytes` bounds all keys and values that it reads itself. */
  constructor(cursor: ByteCursor, maxBytes: number) {
    this.#cursor = cursor;
    this.#maxBytes = maxBytes;
  }

  /** The next key, undefined after the last; take its value before the next call. */
  takeKey(): string | undefined {
    return this.#counted(() => {
      if (this.#endsHere()) return undefined;
      const key = parseJson(takeValue(this.#cursor, this.#spaceBytes()));
      if (typeof key !== "string") throw new MalformedCastError("a key is not a string");
      skipBlank(this.#cursor);
      takeByte(this.#cursor, ":");
      skipBlank(this.#cursor);
      return key;
    });
  }

  takeValue(): string {
    return this.#counted(() => takeValue(this.#cursor, this.#spaceBytes()));
  }

  #endsHere(): boolean {
    if (!this.#hasBegun) takeByte(this.#cursor, "{");
    if (skipBlank(this.#cursor) === CLOSING_BRACE) {
      takeByte(this.#cursor, "}");
      return true;
    }
    if (this.#hasBegun) takeByte(this.#cursor, ",");
    this.#hasBegun = true;
    skipBlank(this.#cursor);
    return false;
  }

  #spaceBytes(): number {
    return Math.max(0, this.#maxBytes - this.#usedBytes);
  }

  #counted<Result>(take: () => Result): Result {
    const from = this.#cursor.position;
    const taken = take();
    this.#usedBytes += this.#cursor.position - from;
    if (this.#usedBytes > this.#maxBytes) {
      throw new MalformedCastError(`the header has more than ${this.#maxBytes} bytes`);
    }
    return taken;
  }
}

/** No attribute of a cast is nested deeper than three; each bracket costs memory. */
const MAX_DEPTH = 16;

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;

const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

const opens = (byte: number): boolean => byte === 0x5b || byte === 0x7b;

const closes = (byte: number): boolean => byte === 0x5d || byte === 0x7d;

/** End of the part without quotes and escapes; most of a string, so it is worth a loop of its own. */
function plainEnd(bytes: Uint8Array, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== QUOTE && bytes[at] !== BACKSLASH) at += 1;
  return at;
}

/** Finds the end of a JSON value by quotes and brackets alone; the parser decides whether it is valid. */
class JsonValueScanner {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #hasBegun = false;

  /** Nested too deeply to go on. */
  get isTooDeep(): boolean {
    return this.#depth > MAX_DEPTH;
  }

  /** Bytes of the value when it ends within these; otherwise undefined. */
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

/** Headers have some hundred values at most, events three; each costs many times the memory of its text. */
const MAX_VALUES = 4096;

/** Shorter texts are parsed at once; their values are few. */
const SHORT_TEXT_LENGTH = 4096;

/** More white space is only meant to keep the reader busy. */
const MAX_BLANK_BYTES = 256 * 1024;

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The bytes so far, and why the rest is missing. */
interface GatheredValue {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly problem?: string;
}

/** Returns the byte after the white space. */
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

/** Without parsing it. */
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

export function takeValue(cursor: ByteCursor, maxBytes: number): string {
  const rest = cursor.rest();
  const ownBytes = new JsonValueScanner().find(rest);
  if (ownBytes !== undefined && ownBytes <= maxBytes) {
    // Most values lie within one chunk and need no copy.
    const text = utf8.decode(rest.subarray(0, ownBytes));
    cursor.advance(ownBytes);
    return text;
  }
  const { bytes, problem } = gatherValue(cursor, maxBytes);
  if (problem !== undefined) throw new MalformedCastError(problem);
  return utf8.decode(bytes);
}

/** Throws when the next byte is another one. */
export function takeByte(cursor: ByteCursor, expected: string): void {
  if (cursor.peek() !== expected.charCodeAt(0)) {
    const found = cursor.peek() === END_OF_FILE ? "the file ends" : "there is something else";
    throw new MalformedCastError(`${found} instead of \`${expected}\``);
  }
  cursor.advance(1);
}

/** Counts separators outside strings. */
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

/** Refuses JSON that costs much more memory than its text. */
export function parseJson(text: string): unknown {
  if (text.length > SHORT_TEXT_LENGTH && hasTooManyValues(text)) {
    throw new MalformedCastError(`more than ${MAX_VALUES} values`);
  }
  try {
    return JSON.parse(text);
  } catch {
    // The parser's message quotes the text, which may contain anything.
    throw new MalformedCastError("not JSON");
  }
}
