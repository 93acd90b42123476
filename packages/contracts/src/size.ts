import { z } from "zod";
import { MAX_COLS, MAX_ROWS } from "./side-limit.ts";

const side = (name: string, max: number) =>
  z
    .int()
    .min(1)
    .max(max)
    .meta({ description: `${name} of the terminal, an integer from 1 to ${max}.` });

export const Columns = side("Columns", MAX_COLS);

export const Rows = side("Rows", MAX_ROWS);

export const Size = z
  .strictObject({ cols: Columns, rows: Rows })
  .meta({ description: "Extent of a terminal in cells." });
export type Size = z.infer<typeof Size>;

export const DEFAULT_SIZE: Size = { cols: 80, rows: 24 };
