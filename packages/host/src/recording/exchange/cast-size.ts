import { DEFAULT_SIZE, MAX_COLS, MAX_ROWS, type Size } from "@nacre/contracts";
import { MalformedCastError } from "./malformed.ts";

/** The kernel keeps 16 bits per side, so no terminal ever had more. */
const MAX_KERNEL_SIDE_CELLS = 65_535;

const isSide = (value: unknown): value is number =>
  typeof value === "number" &&
  Number.isInteger(value) &&
  value >= 0 &&
  value <= MAX_KERNEL_SIDE_CELLS;

/** One side in a header, at most what a Terminal may have; 0 means that the recorder did not know it. */
function parseSide([field, value]: Side, max: number, unknownSide: number): number {
  if (!isSide(value)) {
    throw new MalformedCastError(`\`${field}\` is not an integer from 1 to ${max}`, field);
  }
  return value === 0 ? unknownSide : Math.min(value, max);
}

/** What a header calls a side, and what it says of it. */
type Side = readonly [field: string, value: unknown];

/** The size in a header, from the names and values of its columns and its rows. */
export function parseHeaderSize(cols: Side, rows: Side): Size {
  return {
    cols: parseSide(cols, MAX_COLS, DEFAULT_SIZE.cols),
    rows: parseSide(rows, MAX_ROWS, DEFAULT_SIZE.rows),
  };
}

/** The size in a resize such as `80x24`, at most what a Terminal may have; nothing when the recorder did not know it. */
export function parseResizeSize(text: string): Size | undefined {
  const [cols, rows] = /^(\d{1,5})x(\d{1,5})$/.exec(text)?.slice(1).map(Number) ?? [];
  if (!isSide(cols) || !isSide(rows)) throw new MalformedCastError("a resize is not like `80x24`");
  if (cols === 0 || rows === 0) return undefined;
  return { cols: Math.min(cols, MAX_COLS), rows: Math.min(rows, MAX_ROWS) };
}
