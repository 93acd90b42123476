import type { MarkerNonces } from "./marker-nonces.ts";
import { decodeLine, decodePath, type MarkerFamily, percentDecode, unescapeHex } from "./osc.ts";

/** More foreign markers in one piece of output are a flood, not a shell; they are ignored. */
const MAX_FOREIGN_MARKERS = 64;

const NONCE_FIELD = ";nacre=";

export interface MarkerTrust {
  /** Nonces of our own integration; without them no marker is proven. */
  readonly nonces?: MarkerNonces | undefined;
  /** Also trusts markers without a nonce, which any program can print. */
  readonly trustForeign?: boolean | undefined;
}

/** Decides which markers count: one with a nonce only if the nonce is good, whoever else is trusted. */
export class MarkerReader {
  readonly #nonces: MarkerNonces | undefined;
  readonly #trustForeign: boolean;
  #foreignLeft = MAX_FOREIGN_MARKERS;

  constructor({ nonces, trustForeign = false }: MarkerTrust) {
    this.#nonces = nonces;
    this.#trustForeign = trustForeign;
  }

  /** Called for each piece of new output. */
  begin(): void {
    this.#foreignLeft = MAX_FOREIGN_MARKERS;
  }

  /** Undefined when the marker does not count or means nothing here. */
  read(family: MarkerFamily, payload: string): Marker | undefined {
    const at = payload.lastIndexOf(NONCE_FIELD);
    if (at < 0) return this.#readForeign(family, payload);
    if (!this.#nonces?.accept(payload.slice(at + NONCE_FIELD.length))) return undefined;
    const meaning = parseMarker(family, payload.slice(0, at));
    return meaning && { ...meaning, quality: "exact" };
  }

  #readForeign(family: MarkerFamily, payload: string): Marker | undefined {
    if (!this.#trustForeign || this.#foreignLeft === 0) return undefined;
    const meaning = parseMarker(family, payload);
    if (!meaning) return undefined;
    this.#foreignLeft--;
    return { ...meaning, quality: "marker" };
  }
}

/** Escapes between `$'` and `'`. */
const NAMED: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  e: "\x1b",
  E: "\x1b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
  "\\": "\\",
  "'": "'",
  '"': '"',
  "?": "?",
};

const ANSI_ESCAPE =
  /\\(?:([abefnrtvE\\'"?])|x([\dA-Fa-f]{1,2})|u([\dA-Fa-f]{1,4})|([0-7]{1,3})|([^]))/g;

/** One part of a word: single-quoted, `$'…'`, double-quoted, escaped or plain. */
const PART =
  /'([^']*)'|\$'((?:[^'\\]|\\[^])*)'|"((?:[^"\\$`]|\\[^])*)"|\\([^])|([^ \t\r\n'"\\$`;&|<>()]+)/y;

/** Parses the output of `printf %q`, one character per byte; undefined when it is not one word. */
export function parseShellWord(quoted: string): string | undefined {
  let word = "";
  PART.lastIndex = 0;
  while (PART.lastIndex < quoted.length) {
    const part = PART.exec(quoted);
    if (!part) return undefined;
    const [, single, ansi, double, escaped, plain] = part;
    if (ansi !== undefined) word += ansi.replace(ANSI_ESCAPE, ansiCharacter);
    else if (double !== undefined) word += double.replace(/\\([$`"\\])/g, "$1");
    else word += single ?? escaped ?? plain ?? "";
  }
  return word;
}

/** Groups: letter, hexadecimal, Unicode, octal, anything else. */
function ansiCharacter(match: string, ...groups: (string | undefined)[]): string {
  const [letter, hex, unicode, octal] = groups;
  if (letter !== undefined) return NAMED[letter] ?? match;
  if (hex !== undefined) return String.fromCharCode(parseInt(hex, 16));
  if (octal !== undefined) return String.fromCharCode(parseInt(octal, 8) & 0xff);
  if (unicode === undefined) return match;
  return Buffer.from(String.fromCharCode(parseInt(unicode, 16))).toString("latin1");
}

export type MarkerMeaning =
  | { readonly kind: "promptStart" }
  | { readonly kind: "promptEnd" }
  | { readonly kind: "continuationStart" }
  | { readonly kind: "continuationEnd" }
  | { readonly kind: "commandLine"; readonly line: string; readonly lineTruncated?: true }
  | { readonly kind: "commandStart"; readonly line?: string; readonly lineTruncated?: true }
  | { readonly kind: "commandEnd"; readonly exitCode?: number }
  | { readonly kind: "cwd"; readonly path: string };

/** `exact`: the nonce proves that our integration wrote it; `marker`: any program may have. */
export type Marker = MarkerMeaning & { readonly quality: "exact" | "marker" };

const WORKING_DIRECTORY = "Cwd=";

/** Parses the payload of OSC 133 or 633 without nonce; undefined when irrelevant here. */
export function parseMarker(family: MarkerFamily, payload: string): MarkerMeaning | undefined {
  const [letter = "", ...fields] = payload.split(";");
  switch (letter) {
    case "A":
      return family === 133 ? parsePrompt(fields) : { kind: "promptStart" };
    case "B":
      return { kind: "promptEnd" };
    case "C":
      return { kind: "commandStart", ...(family === 133 ? parseGivenLine(payload) : {}) };
    case "D":
      return { kind: "commandEnd", ...parseExitCode(fields[0]) };
    case "P":
      return family === 133 ? parsePrompt(fields) : parseProperty(fields[0] ?? "");
  }
  if (family === 133) return undefined;
  switch (letter) {
    case "E":
      return { kind: "commandLine", ...decodeLine(unescapeHex(fields[0] ?? "")) };
    case "F":
      return { kind: "continuationStart" };
    case "G":
      return { kind: "continuationEnd" };
  }
  return undefined;
}

/** The primary prompt unless stated otherwise; a right prompt neither begins nor continues a line. */
function parsePrompt(options: readonly string[]): MarkerMeaning | undefined {
  const kind = options.find((option) => option.startsWith("k=")) ?? "k=i";
  if (kind === "k=i") return { kind: "promptStart" };
  return kind === "k=s" || kind === "k=c" ? { kind: "continuationStart" } : undefined;
}

function parseProperty(assignment: string): MarkerMeaning | undefined {
  if (!assignment.startsWith(WORKING_DIRECTORY)) return undefined;
  const path = decodePath(unescapeHex(assignment.slice(WORKING_DIRECTORY.length)));
  return path === undefined ? undefined : { kind: "cwd", path };
}

function parseExitCode(field = ""): { exitCode?: number } {
  return /^-?\d{1,10}$/.test(field) ? { exitCode: Number(field) } : {};
}

/** kitty-style shells report the line when they start it; shell-quoted, where it may contain a semicolon. */
function parseGivenLine(payload: string): { line?: string; lineTruncated?: true } {
  const url = /;cmdline_url=([^;]*)/.exec(payload)?.[1];
  if (url !== undefined) return decodeLine(percentDecode(url));
  const quoted = /;cmdline=([^]*)/.exec(payload)?.[1];
  const word = quoted === undefined ? undefined : parseShellWord(quoted);
  return word === undefined ? {} : decodeLine(word);
}
