import { MAX_TITLE_LENGTH, NacreError, type Size } from "@nacre/contracts";
import { ByteCursor, END_OF_FILE, MalformedCastError } from "./byte-cursor.ts";
import { MAX_ELAPSED_S, parseHeaderSize } from "./cast-facts.ts";
import { gatherValue, JsonObjectReader, parseJson, skipBlank, takeByte } from "./json-reader.ts";
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

/** Everything but the frames of version 1; a header with environment and theme has some hundred bytes. */
const MAX_HEADER_BYTES = 256 * 1024;

/** In version 1 attributes may follow the frames, so up to this many bytes of frames are buffered. */
const MAX_BUFFERED_FRAME_BYTES = 16 * 1024 * 1024;

const BYTE_ORDER_MARK = ["\u00ef", "\u00bb", "\u00bf"] as const;
const OPENING_BRACE = "{".charCodeAt(0);

/** The JSON object at the beginning of a cast, as far as it was read. */
export interface CastOpening {
  readonly attributes: HeaderAttributes;
  /** Frames of version 1. */
  readonly frames?: ByteCursor;
  /** Reads the rest of the object when there were too many frames to buffer. */
  readonly unfinished?: JsonObjectReader;
}

function refuseOtherFiles(cursor: ByteCursor): void {
  if (cursor.peek() === BYTE_ORDER_MARK[0].charCodeAt(0)) {
    for (const byte of BYTE_ORDER_MARK) takeByte(cursor, byte);
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

/** Reads the whole object unless it has more frames than can be buffered. */
export function readOpening(cursor: ByteCursor): CastOpening {
  refuseOtherFiles(cursor);
  const object = new JsonObjectReader(cursor, MAX_HEADER_BYTES);
  const attributes = new Map<string, string>();
  let frames: ByteCursor | undefined;
  for (let key = object.takeKey(); key !== undefined; key = object.takeKey()) {
    if (key !== "stdout" || frames !== undefined) {
      attributes.set(key, object.takeValue());
      continue;
    }
    const { line } = cursor;
    const { bytes, problem } = gatherValue(cursor, MAX_BUFFERED_FRAME_BYTES);
    if (problem !== undefined) {
      // Too many or damaged: they are read on demand, as far as they can be.
      cursor.putBack(bytes);
      return { attributes, frames: cursor, unfinished: object };
    }
    frames = new ByteCursor([bytes], line);
  }
  return { attributes, ...(frames && { frames }) };
}

export interface CastHeader {
  readonly version: 1 | 2 | 3;
  readonly size: Size;
  /** Unix ms. */
  readonly occurredAtMs?: number;
  readonly title?: string;
  readonly command?: string;
}

/** Raw JSON values by name. */
export type HeaderAttributes = ReadonlyMap<string, string>;

/** A recording must end before the year 10000: timestamps have four digits. */
const MAX_TIMESTAMP_S = Date.UTC(10_000, 0) / 1000 - 1 - MAX_ELAPSED_S;

const parseAttribute = (attributes: HeaderAttributes, name: string): unknown => {
  const text = attributes.get(name);
  return text === undefined ? undefined : parseJson(text);
};

function parseVersion(attributes: HeaderAttributes): 1 | 2 | 3 {
  const version = parseAttribute(attributes, "version");
  if (version === 1 || version === 2 || version === 3) return version;
  throw new MalformedCastError("`version` is not 1, 2 or 3", "version");
}

function parseSize(attributes: HeaderAttributes, version: 1 | 2 | 3): Size {
  if (version !== 3) {
    const width = parseAttribute(attributes, "width");
    return parseHeaderSize(["width", width], ["height", parseAttribute(attributes, "height")]);
  }
  const term = parseAttribute(attributes, "term");
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
  const title = cleanText(parseAttribute(attributes, "title"), MAX_TITLE_LENGTH);
  const command = cleanText(parseAttribute(attributes, "command"), MAX_HEADER_COMMAND_LENGTH);
  return {
    version,
    size: parseSize(attributes, version),
    ...parseTimestamp(parseAttribute(attributes, "timestamp")),
    ...(title && { title }),
    ...(command && { command }),
  };
}
