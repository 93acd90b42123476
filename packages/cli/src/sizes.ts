import { NacreError } from "@nacre/contracts/error";

/** `120x40`. */
export function parseSize(text: string, field: string): { cols: number; rows: number } {
  const [, cols, rows] = /^(\d{1,5})[x×](\d{1,5})$/.exec(text) ?? [];
  if (cols !== undefined && rows !== undefined) return { cols: Number(cols), rows: Number(rows) };
  throw new NacreError(
    "invalid_argument",
    `${text} is not a size; expected COLSxROWS such as 120x40`,
    { field },
  );
}

const UNITS: Readonly<Record<string, number>> = { "": 1, K: 1024, M: 1024 ** 2, G: 1024 ** 3 };

/** `500M` or `10GB`. */
export function parseBytes(text: string, field: string): number {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)([KMG]?)i?B?$/i.exec(text) ?? [];
  const size = UNITS[unit.toUpperCase()];
  if (count !== undefined && size !== undefined) return Math.floor(Number(count) * size);
  throw new NacreError(
    "invalid_argument",
    `--${field}: ${text} is not a size; expected one such as 500M or 10G`,
    {
      field,
    },
  );
}
