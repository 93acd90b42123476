import { MAX_COMMAND_LINE_LENGTH, MAX_TITLE_LENGTH } from "@nacre/contracts";

/** Linux refuses longer paths, and so do the contracts. */
const MAX_PATH_LENGTH = 4096;

// oxlint-disable-next-line no-control-regex -- removing these control characters is the purpose
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f-\u009f]/g;

const ABSOLUTE_PATH = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;

const HEX_BYTE = (_match: string, hex: string): string => String.fromCharCode(parseInt(hex, 16));

/** The text of UTF-8 bytes that are given one per character; what is not valid is replaced. */
const decodeUtf8 = (bytes: string): string => Buffer.from(bytes, "latin1").toString("utf8");

/** The bytes behind `%41` and the like. */
export const percentDecode = (bytes: string): string =>
  bytes.replace(/%([\dA-Fa-f]{2})/g, HEX_BYTE);

/** The bytes behind `\x3b` and `\\`, as shells write them into OSC 633. */
export const unescapeHex = (bytes: string): string =>
  bytes.replace(/\\(?:x([\dA-Fa-f]{2})|\\)/g, (match, hex: string | undefined) =>
    hex === undefined ? "\\" : HEX_BYTE(match, hex),
  );

/** A title as people can read it in one line. */
export const decodeTitle = (bytes: string): string =>
  truncate(MAX_TITLE_LENGTH, decodeUtf8(bytes).replace(CONTROL_CHARACTERS, ""));

/** An absolute path of this machine, or undefined when it cannot be one. */
export function decodePath(bytes: string): string | undefined {
  const path = decodeUtf8(bytes);
  const isPath = path.length <= MAX_PATH_LENGTH && ABSOLUTE_PATH.test(path) && !path.includes("\0");
  return isPath ? path : undefined;
}

/** A command line, which says so when only its beginning is there. */
export function decodeLine(bytes: string): { line: string; lineTruncated?: true } {
  const whole = decodeUtf8(bytes);
  const line = truncate(MAX_COMMAND_LINE_LENGTH, whole);
  return line === whole ? { line } : { line, lineTruncated: true };
}

function truncate(maxLength: number, text: string): string {
  if (text.length <= maxLength) return text;
  // Half of a surrogate pair would be no text any more.
  const isHigh = /[\ud800-\udbff]/.test(text.charAt(maxLength - 1));
  return text.slice(0, isHigh ? maxLength - 1 : maxLength);
}
