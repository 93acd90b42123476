import { MAX_COLS, MAX_ROWS, NacreError, type Size } from "@nacre/contracts/plain";

/** Refuses what the kernel would quietly turn into another size, or names the offending field as the schema does. */
export function checkSize(size: unknown): Size {
  if (typeof size !== "object" || size === null) throw refusal("size", "expected cols and rows");
  const { cols, rows, ...others }: { cols?: unknown; rows?: unknown } = size;
  const [other] = Object.keys(others);
  if (other !== undefined) throw refusal(`size.${other}`, "unknown");
  return {
    cols: checkSide(cols, "size.cols", MAX_COLS),
    rows: checkSide(rows, "size.rows", MAX_ROWS),
  };
}

function checkSide(side: unknown, field: string, max: number): number {
  if (typeof side === "number" && Number.isInteger(side) && side >= 1 && side <= max) {
    return side;
  }
  throw refusal(field, `expected an integer from 1 to ${max}, got ${String(side)}`);
}

const refusal = (field: string, message: string): NacreError =>
  new NacreError("invalid_argument", `${field}: ${message}`, { field });
