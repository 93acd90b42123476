import { z } from "zod";
import { MAX_COLS, MAX_ROWS } from "./side-limit.ts";

const side = (name: string, max: number) =>
  z
    .int()
    .min(1)
    .max(max)
    .meta({ description: `${name} of the terminal, an integer from 1 to ${max}.` });

/** How many columns a terminal may have: an integer 1..1000, never a string. */
export const Columns = side("Columns", MAX_COLS);

/** How many rows a terminal may have: an integer 1..500, never a string. */
export const Rows = side("Rows", MAX_ROWS);

/** The extent of a Terminal in cells. */
export const Size = z
  .strictObject({ cols: Columns, rows: Rows })
  .meta({ description: "Extent of a terminal in cells." });
export type Size = z.infer<typeof Size>;

/** What a Terminal gets when nobody says a size. */
export const DEFAULT_SIZE: Size = { cols: 80, rows: 24 };
