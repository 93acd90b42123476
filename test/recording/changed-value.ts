import { EntryType } from "@nacre/contracts";
import type { Value } from "./edited-recording.ts";

/** Draws whole numbers below a bound. */
export type Draw = (below: number) => number;

/** The same value with a single bit, byte or character of it changed, or its absence; never the same value. */
export function changedValue(value: Value, column: string, draw: Draw): Value {
  if (value === null) return appearing(column, draw);
  if (typeof value === "number") return changedNumber(value, column, draw);
  if (typeof value === "string") return changedText(value, column, draw);
  return changedBytes(value, column, draw);
}

/** Columns that may be empty, and what may appear in them. */
function appearing(column: string, draw: Draw): Value {
  if (column === "offset") return [0, -1, 1][draw(3)] ?? 0;
  if (column === "data") return new Uint8Array(draw(2));
  return column === "facts" ? (["{}", "", " "][draw(3)] ?? "") : "x";
}

const NULLABLE = ["offset", "data", "facts", "name", "command", "args", "owner_attributes"];

/** Bits above these make numbers that JavaScript cannot tell apart, and SQLite refuses to hand out. */
const NUMBER_BITS = 52;

function changedNumber(value: number, column: string, draw: Draw): Value {
  const way = draw(4);
  if (way === 0 && NULLABLE.includes(column)) return null;
  if (way === 1) return value + 1;
  if (way === 2) return value - 1;
  const bit = 2n ** BigInt(draw(NUMBER_BITS));
  return Number(BigInt(value) ^ bit);
}

function changedText(value: string, column: string, draw: Draw): Value {
  const way = draw(5);
  if (way === 0 && NULLABLE.includes(column)) return null;
  if (way === 1) return `${value} `;
  if (way === 2 && value.length > 1) return value.slice(0, -1);
  if (column === "type" && way === 3) {
    const others = EntryType.options.filter((type) => type !== value);
    return others[draw(others.length)] ?? "gap";
  }
  const letters = Array.from(value);
  const place = draw(Math.max(1, letters.length));
  const code = letters[place]?.codePointAt(0) ?? 0x61;
  letters[place] = String.fromCodePoint(code ^ (1 << draw(5)));
  return letters.join("");
}

function changedBytes(value: Uint8Array, column: string, draw: Draw): Value {
  const way = draw(8);
  if (way === 0 && NULLABLE.includes(column)) return null;
  if (way === 1 || value.byteLength === 0) return new Uint8Array([...value, draw(256)]);
  if (way === 2) return value.slice(0, -1);
  const changed = value.slice();
  const place = draw(changed.byteLength);
  changed[place] = (changed[place] ?? 0) ^ (1 << draw(8));
  return changed;
}
