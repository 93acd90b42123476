import type { OutputPosition } from "@nacre/contracts";

/** Writes a position down as `<sequence>` or `<sequence>.<offset>`. */
export const formatCursor = ({ after, offset }: OutputPosition): string =>
  offset === undefined ? `${after}` : `${after}.${offset}`;

/** Reads what `cursorOf` wrote. */
export function parseCursor(cursor: string): OutputPosition {
  const [after = "0", offset] = cursor.split(".");
  return { after: Number(after), ...(offset === undefined ? {} : { offset: Number(offset) }) };
}
