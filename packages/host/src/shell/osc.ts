import { hostname } from "node:os";
import { MAX_COMMAND_LINE_LENGTH, MAX_TITLE_LENGTH } from "@nacre/contracts";

/** PATH_MAX of Linux, and the limit of the contracts. */
const MAX_PATH_LENGTH = 4096;

// oxlint-disable-next-line no-control-regex -- removing these control characters is the purpose
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g;

const ABSOLUTE_PATH = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;

const HEX_BYTE = (_match: string, hex: string): string => String.fromCharCode(parseInt(hex, 16));

/** Takes one character per byte; invalid bytes are replaced. */
const decodeUtf8 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");

/** Decodes `%41`. */
export const percentDecode = (bytes: string): string =>
  bytes.replace(/%([\dA-Fa-f]{2})/g, HEX_BYTE);

/** Decodes `\x3b` and `\\`, as shells write them into OSC 633. */
export const unescapeHex = (bytes: string): string =>
  bytes.replace(/\\(?:x([\dA-Fa-f]{2})|\\)/g, (match, hex: string | undefined) =>
    hex === undefined ? "\\" : HEX_BYTE(match, hex),
  );

/** One readable line. */
const decodeTitle = (bytes: string): string =>
  truncate(MAX_TITLE_LENGTH, decodeUtf8(bytes).replace(CONTROL_CHARACTERS, ""));

/** Undefined when it is not an absolute path on this machine. */
export function decodePath(bytes: string): string | undefined {
  const path = decodeUtf8(bytes);
  const isPath = path.length <= MAX_PATH_LENGTH && ABSOLUTE_PATH.test(path) && !path.includes("\0");
  return isPath ? path : undefined;
}

/** Flags a line that was cut. */
export function decodeLine(bytes: string): { line: string; lineTruncated?: true } {
  const whole = decodeUtf8(bytes);
  const line = truncate(MAX_COMMAND_LINE_LENGTH, whole);
  return line === whole ? { line } : { line, lineTruncated: true };
}

function truncate(maxLength: number, text: string): string {
  if (text.length <= maxLength) return text;
  // Never cut a surrogate pair.
  const isHigh = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  return text.slice(0, isHigh ? maxLength - 1 : maxLength);
}

/** No known number is longer; further digits need not be kept. */
const MAX_DIGITS = 5;

/** Parses the number of an OSC that arrives in parts, as terminals do. */
export class OscNumber {
  #digits = "";
  #isComplete = false;

  /** Undefined when missing or out of range. */
  get value(): number | undefined {
    return /^\d{1,5}$/.test(this.#digits) ? Number(this.#digits) : undefined;
  }

  /** One character per byte. */
  push(text: string): void {
    if (this.#isComplete) return;
    const semicolon = text.indexOf(";");
    const name = semicolon < 0 ? text : text.slice(0, semicolon);
    // Terminals ignore control characters and invalid bytes inside the number.
    this.#digits = (this.#digits + name.replace(/[^ -~]/g, "")).replace(/^0+(?=\d)/, "");
    this.#isComplete = semicolon >= 0 || this.#digits.length > MAX_DIGITS;
  }
}

export const isMarkerNumber = (number: number | undefined): number is 133 | 633 =>
  number === 133 || number === 633;

export type Osc =
  | { readonly kind: "marker"; readonly family: MarkerFamily; readonly payload: string }
  | { readonly kind: "title"; readonly title: string }
  | { readonly kind: "cwd"; readonly path: string };

export type MarkerFamily = 133 | 633;

const FILE_URI = /^file:\/\/([^/]*)(\/[^]*)$/i;
const CURRENT_DIRECTORY = "CurrentDir=";

/** Parses the body of an OSC, one character per byte. */
export function parseOsc(body: string): Osc | undefined {
  const number = parseOscNumber(body);
  const semicolon = body.indexOf(";");
  const payload = semicolon < 0 ? undefined : body.slice(semicolon + 1);
  switch (number) {
    case 133:
    case 633:
      return { kind: "marker", family: number, payload: payload ?? "" };
    case 0:
    case 2:
      return payload === undefined ? undefined : { kind: "title", title: decodeTitle(payload) };
    case 7:
      return toCwd(localPath(payload ?? ""));
    case 1337:
      return payload?.startsWith(CURRENT_DIRECTORY)
        ? toCwd(payload.slice(CURRENT_DIRECTORY.length))
        : undefined;
    case undefined:
      return undefined;
  }
  return undefined;
}

/** No view shows a marker. */
export const isMarker = (body: string): boolean => isMarkerNumber(parseOscNumber(body));

/** Clipboard (52) and files (1337): OSCs as long as their content. */
const LONG = /^0*(?:52|1337);/;

/** Whether an OSC with this beginning may have any length. */
export const mayBeLong = (body: string): boolean => LONG.test(body);

function parseOscNumber(body: string): number | undefined {
  const number = new OscNumber();
  number.push(body);
  return number.value;
}

function toCwd(bytes: string): Osc | undefined {
  const path = decodePath(bytes);
  return path === undefined ? undefined : { kind: "cwd", path };
}

/** A path on another machine is ignored. */
function localPath(uri: string): string {
  const [, host = "", path = ""] = FILE_URI.exec(uri) ?? [];
  const isLocal = ["", "localhost", hostname().toLowerCase()].includes(host.toLowerCase());
  return isLocal ? percentDecode(path) : "";
}
