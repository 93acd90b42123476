import { DEFAULT_SIZE, MAX_SIDE_CELLS, type Size } from "@nacre/contracts";
import { Malformed } from "./malformed.ts";

/** The kernel keeps 16 bits per side, so no terminal ever had more. */
const MAX_KERNEL_SIDE_CELLS = 65_535;

const isSide = (value: unknown): value is number =>
  typeof value === "number" &&
  Number.isInteger(value) &&
  value >= 0 &&
  value <= MAX_KERNEL_SIDE_CELLS;

/** One side in a header, at most what a Terminal may have; 0 means that the recorder did not know it. */
function sideOf(value: unknown, field: string, unknownSide: number): number {
  if (!isSide(value)) {
    throw new Malformed(`\`${field}\` is not an integer from 1 to ${MAX_SIDE_CELLS}`, field);
  }
  return value === 0 ? unknownSide : Math.min(value, MAX_SIDE_CELLS);
}

/** The size in a header, from the names and values of its columns and its rows. */
export function headerSize(
  cols: readonly [field: string, value: unknown],
  rows: readonly [field: string, value: unknown],
): Size {
  return {
    cols: sideOf(cols[1], cols[0], DEFAULT_SIZE.cols),
    rows: sideOf(rows[1], rows[0], DEFAULT_SIZE.rows),
  };
}

/** The size in a resize such as `80x24`, at most what a Terminal may have; nothing when the recorder did not know it. */
export function resizeSize(text: string): Size | undefined {
  const [cols, rows] = /^(\d{1,5})x(\d{1,5})$/.exec(text)?.slice(1).map(Number) ?? [];
  if (!isSide(cols) || !isSide(rows)) throw new Malformed("a resize is not like `80x24`");
  if (cols === 0 || rows === 0) return undefined;
  return { cols: Math.min(cols, MAX_SIDE_CELLS), rows: Math.min(rows, MAX_SIDE_CELLS) };
}
