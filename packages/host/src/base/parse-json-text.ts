// Text from outside is scanned first: JSON.parse accepts any depth and any key.
import { NacreError } from "@nacre/contracts";

/** Deeper values are mistakes or attacks; no schema goes so far. */
export const MAX_JSON_DEPTH = 32;

/** More than any request needs, walked in a millisecond. */
export const MAX_JSON_NODES = 10_000;

/** Assigning to these keys changes how an object behaves instead of adding a property. */
export const UNSAFE_KEYS: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const COMMA = 0x2c;
const OPENING_BRACE = 0x7b;
const OPENING_BRACKET = 0x5b;
const CLOSING_BRACE = 0x7d;
const CLOSING_BRACKET = 0x5d;
const LETTER_U = 0x75;

/** Throws `invalid_argument`; the result is small, shallow, finite and has no duplicate keys. */
export function parseJsonText(json: Uint8Array | string): unknown {
  const text = typeof json === "string" ? json : decode(json);
  new JsonScanner(text).run();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    // The parser's message repeats what was sent, which may be a secret.
    throw refused("syntax error");
  }
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    throw refused("not UTF-8");
  }
}

/** One pass without recursion; syntax errors are left to the parser. */
class JsonScanner {
  readonly #text: string;
  /** Keys of each open object; undefined for an array. */
  readonly #open: (Set<string> | undefined)[] = [];
  #nodes = 1;

  constructor(text: string) {
    this.#text = text;
  }

  run(): void {
    const text = this.#text;
    for (let at = 0; at < text.length;) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) {
        at = this.#string(at);
        continue;
      }
      if (isNumberStart(code)) {
        at = this.#number(at);
        continue;
      }
      if (code === OPENING_BRACE) this.#enter(new Set());
      else if (code === OPENING_BRACKET) this.#enter(undefined);
      else if (code === CLOSING_BRACE || code === CLOSING_BRACKET) this.#open.pop();
      else if (code === COMMA) this.#count();
      at += 1;
    }
  }

  #enter(keys: Set<string> | undefined): void {
    this.#open.push(keys);
    if (this.#open.length > MAX_JSON_DEPTH) {
      throw refused(`nested more than ${MAX_JSON_DEPTH} levels deep`);
    }
    this.#count();
  }

  #count(): void {
    this.#nodes += 1;
    if (this.#nodes > MAX_JSON_NODES) throw refused(`more than ${MAX_JSON_NODES} values`);
  }

  /** Returns the position after the string; checks it when it is a key. */
  #string(start: number): number {
    const text = this.#text;
    let at = start + 1;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      if (code === QUOTE) break;
      if (code === BACKSLASH) at = this.#escape(at + 1);
    }
    const end = at + 1;
    if (isColonNext(text, end)) this.#key(text.slice(start, end));
    return end;
  }

  /** Returns the last position of the escape; refuses a lone surrogate. */
  #escape(at: number): number {
    if (this.#text.charCodeAt(at) !== LETTER_U) return at;
    const unit = unitAt(this.#text, at);
    if (unit < 0xd800 || unit > 0xdfff || Number.isNaN(unit)) return at;
    const isPair =
      unit < 0xdc00 &&
      this.#text.charCodeAt(at + 5) === BACKSLASH &&
      this.#text.charCodeAt(at + 6) === LETTER_U &&
      isLowSurrogate(unitAt(this.#text, at + 6));
    if (!isPair) throw refused("a lone surrogate");
    return at + 10;
  }

  #key(literal: string): void {
    const keys = this.#open.at(-1);
    const key = unescapeString(literal);
    if (keys === undefined || key === undefined) return;
    if (UNSAFE_KEYS.has(key)) throw refused(`the key \`${key}\` is not allowed`, key);
    if (keys.has(key)) throw refused("a duplicate key", key);
    keys.add(key);
  }

  /** Returns the position after the number; refuses one that overflows. */
  #number(start: number): number {
    const text = this.#text;
    let end = start + 1;
    while (end < text.length && isNumberPart(text.charCodeAt(end))) end += 1;
    const value = Number(text.slice(start, end));
    if (value === Infinity || value === -Infinity) throw refused("a number is too large");
    return end;
  }
}

const unitAt = (text: string, letterU: number): number => {
  const digits = text.slice(letterU + 1, letterU + 5);
  return /^[0-9A-Fa-f]{4}$/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN;
};

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;

const isDigit = (code: number): boolean => code >= 0x30 && code <= 0x39;

const isNumberStart = (code: number): boolean => code === 0x2d || isDigit(code);

const isNumberPart = (code: number): boolean =>
  isDigit(code) ||
  code === 0x2b ||
  code === 0x2d ||
  code === 0x2e ||
  code === 0x45 ||
  code === 0x65;

function isColonNext(text: string, from: number): boolean {
  let at = from;
  for (let code = text.charCodeAt(at); isSpace(code); code = text.charCodeAt(at)) at += 1;
  return text.charCodeAt(at) === COLON;
}

const isSpace = (code: number): boolean =>
  code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;

/** Undefined when invalid, which the parser will report. */
function unescapeString(literal: string): string | undefined {
  if (!literal.includes("\\")) return literal.slice(1, -1);
  try {
    const value: unknown = JSON.parse(literal);
    return typeof value === "string" ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Messages go into logs, so only a short name is repeated. */
const isShortName = (key: string): boolean => /^[\w.-]{1,64}$/.test(key);

const refused = (why: string, key?: string): NacreError =>
  new NacreError("invalid_argument", `invalid JSON: ${why}`, {
    ...(key !== undefined && isShortName(key) ? { field: key } : {}),
    suggestion: "Send one JSON object in UTF-8 with each key once.",
  });
