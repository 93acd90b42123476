import { MAX_TITLE_LENGTH, type Size } from "@nacre/contracts";
import { MAX_ELAPSED_S } from "./cast-clock.ts";
import { parseHeaderSize } from "./cast-size.ts";
import { parseJson } from "./json-value.ts";
import { MalformedCastError } from "./malformed.ts";
import { MAX_HEADER_COMMAND_LENGTH, toOneLine } from "./one-line.ts";

/** What a cast says about itself before its first event. */
export interface CastHeader {
  readonly version: 1 | 2 | 3;
  readonly size: Size;
  /** When the recording began, in Unix ms. */
  readonly occurredAtMs?: number;
  readonly title?: string;
  readonly command?: string;
}

/** The text of each attribute's value, by name. */
export type HeaderAttributes = ReadonlyMap<string, string>;

/** A recording must end before the year 10000, which timestamps cannot have. */
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
  // Only own properties count, so that no prototype answers for the file.
  const own = new Map<string, unknown>(Object.entries(term));
  return parseHeaderSize(["term.cols", own.get("cols")], ["term.rows", own.get("rows")]);
}

function parseTimestamp(value: unknown): { occurredAtMs?: number } {
  const isMoment = typeof value === "number" && value >= 0 && value <= MAX_TIMESTAMP_S;
  return isMoment ? { occurredAtMs: Math.floor(value * 1000) } : {};
}

const cleanText = (value: unknown, maxLength: number): string =>
  typeof value === "string" ? toOneLine(value, maxLength) : "";

/** Reads the attributes of a header; what is not needed to replay the cast is left out when it is wrong. */
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
