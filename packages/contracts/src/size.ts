import { z } from "zod";

/** The kernel keeps 16 bits per side; beyond 1000 no screen is real and a screen model only burns memory. */
export const MAX_SIDE_CELLS = 1000;

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
