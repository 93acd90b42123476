import { NacreError } from "@nacre/contracts";
import { ByteCursor, END_OF_FILE } from "./byte-cursor.ts";
import type { HeaderAttributes } from "./cast-header.ts";
import { detectCompression, LONGEST_MAGIC_BYTES } from "./compression.ts";
import { gatherValue, skipBlank, takeByte } from "./json-value.ts";
import { MalformedCastError } from "./malformed.ts";
import { JsonObjectReader } from "./object-reader.ts";

/** Everything but the frames of version 1; with environment and theme, headers have some hundred bytes. */
const MAX_HEADER_BYTES = 256 * 1024;

/** Attributes may follow the frames of version 1, so frames are held back to find them, but no more than this. */
const MAX_BUFFERED_FRAME_BYTES = 16 * 1024 * 1024;

const BYTE_ORDER_MARK = ["\u00ef", "\u00bb", "\u00bf"] as const;
const OPENING_BRACE = "{".charCodeAt(0);

/** The object that every cast begins with, as far as it was read. */
export interface CastOpening {
  readonly attributes: HeaderAttributes;
  /** Where the frames of version 1 are. */
  readonly frames?: ByteCursor;
  /** What reads the rest of the object, when the frames were too many to be held back. */
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

/** Reads the object at the beginning of a cast: all of it, unless it has more frames than are held back. */
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
      // Too many, or damaged: what can be read of them is read when it is asked for.
      cursor.putBack(bytes);
      return { attributes, frames: cursor, unfinished: object };
    }
    frames = new ByteCursor([bytes], line);
  }
  return { attributes, ...(frames && { frames }) };
}
