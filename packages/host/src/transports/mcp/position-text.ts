import type { OutputPosition } from "@nacre/contracts";
import { z } from "zod";

/** A position as tools tell it: the sequence, and behind a colon the offset where an entry was read in part. */
export const OutputCursor = z
  .string()
  .regex(/^\d{1,15}(?::\d{1,15})?$/, "expected a cursor from an earlier answer");

/** Writes down where a reader is. */
export const formatOutputCursor = ({ after, offset }: OutputPosition): string =>
  offset === undefined ? String(after) : `${after}:${offset}`;

/** Reads where a reader is. */
export function parseOutputCursor(text: string): OutputPosition {
  const [after = "0", offset] = text.split(":");
  return { after: Number(after), ...(offset === undefined ? {} : { offset: Number(offset) }) };
}
