import { MAX_TITLE_LENGTH, NacreError, type Size } from "@nacre/contracts";
import { ByteCollector, type ByteCursor, END_OF_FILE, MalformedCastError } from "./byte-cursor.ts";
import { MAX_ELAPSED_S, parseHeaderSize } from "./cast-facts.ts";
import { MAX_HEADER_COMMAND_LENGTH, toOneLine } from "./format-text.ts";

const LONGEST_MAGIC_BYTES = 4;

const MAGIC_BYTES: ReadonlyMap<string, readonly number[]> = new Map([
  ["gzip", [0x1f, 0x8b]],
  ["zip", [0x50, 0x4b]],
  ["zstd", [0x28, 0xb5, 0x2f, 0xfd]],
  ["xz", [0xfd, 0x37, 0x7a, 0x58]],
  ["bzip2", [0x42, 0x5a, 0x68]],
]);

function detectCompression(beginning: readonly number[]): string | undefined {
  for (const [name, magic] of MAGIC_BYTES) {
    if (magic.every((byte, at) => byte === beginning[at])) return name;
  }
  return undefined;
}

/** With environment and theme, headers have some hundred bytes. */
const MAX_HEADER_BYTES = 256 * 1024;

/** Version 1 is one object, which `JSON.parse` holds as a whole: at worst, this many bytes take 325 MiB. Its recorders wrote some megabytes. */
export const MAX_DOCUMENT_BYTES = 16 * 1024 * 1024;

/** More white space than this before a cast is only there to keep the reader busy. */
const MAX_BLANK_BYTES = 256 * 1024;

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];
const OPENING_BRACE = "{".charCodeAt(0);

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** Parses JSON, or says that it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The parser's own words quote the text, which is not fit to be shown.
    throw new MalformedCastError("not JSON");
  }
}

/** Takes white space, and answers the byte that follows it. */
export function skipBlank(cursor: ByteCursor): number {
  const from = cursor.position;
  while (isBlank(cursor.peek())) {
    cursor.advance(1);
    if (cursor.position - from > MAX_BLANK_BYTES) {
      throw new MalformedCastError(`more than ${MAX_BLANK_BYTES} bytes of white space`);
    }
  }
  return cursor.peek();
}

/** Tells whether JSON ignores the byte between values. */
const isBlank = (byte: number): boolean =>
  byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;

function refuseOtherFiles(cursor: ByteCursor): void {
  if (cursor.peek() === BYTE_ORDER_MARK[0]) {
    for (const byte of BYTE_ORDER_MARK) {
      if (cursor.peek() !== byte) throw new MalformedCastError("half a byte order mark");
      cursor.advance(1);
    }
  }
  if (skipBlank(cursor) === OPENING_BRACE) return;
  if (cursor.peek() === END_OF_FILE) throw new MalformedCastError("the file is empty");
  const beginning: number[] = [];
  while (beginning.length < LONGEST_MAGIC_BYTES && cursor.peek() !== END_OF_FILE) {
    beginning.push(cursor.peek());
    cursor.advance(1);
  }
  const compression = detectCompression(beginning);
  if (compression === undefined) throw new MalformedCastError("the file does not begin with `{`");
  throw new NacreError("invalid_argument", `the file is compressed with ${compression}`, {
    suggestion: `Decompress it with a tool for ${compression} and import what comes out.`,
  });
}

/** Reads the object that a cast begins with: the first line, or in version 1 the whole file. */
export function readOpening(
  cursor: ByteCursor,
  sizeBytes: () => number | undefined,
): HeaderAttributes {
  refuseOtherFiles(cursor);
  const { line } = cursor;
  const gathered = new ByteCollector(MAX_DOCUMENT_BYTES);
  if (!cursor.gather(gathered, "line")) throw tooLargeError(sizeBytes());
  const header = tryParseObject(gathered.bytes);
  if (header?.get("version") === 1) return header;
  if (header !== undefined) {
    if (gathered.bytes.length <= MAX_HEADER_BYTES) return header;
    throw new MalformedCastError(
      `the header has more than ${MAX_HEADER_BYTES} bytes`,
      undefined,
      line,
    );
  }
  if (!cursor.gather(gathered, "file")) throw tooLargeError(sizeBytes());
  const document = tryParseObject(gathered.bytes);
  if (document === undefined) throw new MalformedCastError("not a JSON object", undefined, line);
  return document;
}

function tryParseObject(bytes: Uint8Array): HeaderAttributes | undefined {
  try {
    const value: unknown = JSON.parse(utf8.decode(bytes));
    // Only own properties count, so that no prototype answers for the file.
    return typeof value === "object" && value !== null ? new Map(Object.entries(value)) : undefined;
  } catch {
    // The first line of an object over several lines, or no JSON at all: the caller knows which.
    return undefined;
  }
}

const tooLargeError = (sizeBytes: number | undefined): NacreError =>
  new NacreError(
    "payload_too_large",
    `the file has ${sizeBytes ?? `more than ${MAX_DOCUMENT_BYTES}`} bytes and no JSON object in its first line; a cast that is one object, as in version 1, may have at most ${MAX_DOCUMENT_BYTES}`,
    { suggestion: "Convert it to asciicast of version 2 or 3, whose header is one line." },
  );

/** What a cast says about itself before its first event. */
export interface CastHeader {
  readonly version: 1 | 2 | 3;
  readonly size: Size;
  /** Unix ms. */
  readonly occurredAtMs?: number;
  readonly title?: string;
  readonly command?: string;
}

/** Each attribute's value, by name. */
export type HeaderAttributes = ReadonlyMap<string, unknown>;

/** A recording must end before the year 10000: timestamps have four digits. */
const MAX_TIMESTAMP_S = Date.UTC(10_000, 0) / 1000 - 1 - MAX_ELAPSED_S;

function parseVersion(attributes: HeaderAttributes): 1 | 2 | 3 {
  const version = attributes.get("version");
  if (version === 1 || version === 2 || version === 3) return version;
  throw new MalformedCastError("`version` is not 1, 2 or 3", "version");
}

function parseSize(attributes: HeaderAttributes, version: 1 | 2 | 3): Size {
  if (version !== 3) {
    const width = attributes.get("width");
    return parseHeaderSize(["width", width], ["height", attributes.get("height")]);
  }
  const term = attributes.get("term");
  if (typeof term !== "object" || term === null) {
    throw new MalformedCastError("`term` is not an object", "term");
  }
  // Own properties only: a prototype must not answer for the file.
  const own = new Map<string, unknown>(Object.entries(term));
  return parseHeaderSize(["term.cols", own.get("cols")], ["term.rows", own.get("rows")]);
}

function parseTimestamp(value: unknown): { occurredAtMs?: number } {
  const isMoment = typeof value === "number" && value >= 0 && value <= MAX_TIMESTAMP_S;
  return isMoment ? { occurredAtMs: Math.floor(value * 1000) } : {};
}

const cleanText = (value: unknown, maxLength: number): string =>
  typeof value === "string" ? toOneLine(value, maxLength) : "";

/** Invalid attributes that playback does not need are ignored. */
export function parseCastHeader(attributes: HeaderAttributes): CastHeader {
  const version = parseVersion(attributes);
  const title = cleanText(attributes.get("title"), MAX_TITLE_LENGTH);
  const command = cleanText(attributes.get("command"), MAX_HEADER_COMMAND_LENGTH);
  return {
    version,
    size: parseSize(attributes, version),
    ...parseTimestamp(attributes.get("timestamp")),
    ...(title && { title }),
    ...(command && { command }),
  };
}
