import { z } from "zod";
import { MAX_SIDE_CELLS } from "./side-limit.ts";

const side = (description: string) => z.int().min(1).max(MAX_SIDE_CELLS).meta({ description });

/** How many columns a terminal may have: an integer 1..1000, never a string. */
export const Columns = side("Columns of the terminal, an integer from 1 to 1000.");

/** How many rows a terminal may have: an integer 1..1000, never a string. */
export const Rows = side("Rows of the terminal, an integer from 1 to 1000.");

/** The extent of a Terminal in cells. */
export const Size = z
  .strictObject({ cols: Columns, rows: Rows })
  .meta({ description: "Extent of a terminal in cells." });
export type Size = z.infer<typeof Size>;

/** What a Terminal gets when nobody says a size. */
export const DEFAULT_SIZE: Size = { cols: 80, rows: 24 };
