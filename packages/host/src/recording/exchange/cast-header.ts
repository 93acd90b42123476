import { MAX_TITLE_LENGTH, type Size } from "@nacre/contracts";
import { MAX_ELAPSED_S } from "./cast-clock.ts";
import { headerSize } from "./cast-size.ts";
import { parseJson } from "./json-value.ts";
import { Malformed } from "./malformed.ts";
import { MAX_HEADER_COMMAND_LENGTH, oneLine } from "./one-line.ts";

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

const valueOf = (attributes: HeaderAttributes, name: string): unknown => {
  const text = attributes.get(name);
  return text === undefined ? undefined : parseJson(text);
};

function versionOf(attributes: HeaderAttributes): 1 | 2 | 3 {
  const version = valueOf(attributes, "version");
  if (version === 1 || version === 2 || version === 3) return version;
  throw new Malformed("`version` is not 1, 2 or 3", "version");
}

function sizeOf(attributes: HeaderAttributes, version: 1 | 2 | 3): Size {
  if (version !== 3) {
    const width = valueOf(attributes, "width");
    return headerSize(["width", width], ["height", valueOf(attributes, "height")]);
  }
  const term = valueOf(attributes, "term");
  if (typeof term !== "object" || term === null) {
    throw new Malformed("`term` is not an object", "term");
  }
  // Only own properties count, so that no prototype answers for the file.
  const own = new Map<string, unknown>(Object.entries(term));
  return headerSize(["term.cols", own.get("cols")], ["term.rows", own.get("rows")]);
}

function momentOf(value: unknown): { occurredAtMs?: number } {
  const isMoment = typeof value === "number" && value >= 0 && value <= MAX_TIMESTAMP_S;
  return isMoment ? { occurredAtMs: Math.floor(value * 1000) } : {};
}

const textOf = (value: unknown, maxLength: number): string =>
  typeof value === "string" ? oneLine(value, maxLength) : "";

/** Reads the attributes of a header; what is not needed to replay the cast is left out when it is wrong. */
export function castHeaderOf(attributes: HeaderAttributes): CastHeader {
  const version = versionOf(attributes);
  const title = textOf(valueOf(attributes, "title"), MAX_TITLE_LENGTH);
  const command = textOf(valueOf(attributes, "command"), MAX_HEADER_COMMAND_LENGTH);
  return {
    version,
    size: sizeOf(attributes, version),
    ...momentOf(valueOf(attributes, "timestamp")),
    ...(title && { title }),
    ...(command && { command }),
  };
}
