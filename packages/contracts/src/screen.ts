import { z } from "zod";
import { titleText } from "./bounded-text.ts";
import { Sequence } from "./ids.ts";
import { MAX_SIDE_CELLS } from "./side-limit.ts";
import { Size } from "./size.ts";

export const Cursor = z
  .strictObject({
    row: z
      .int()
      .min(0)
      .max(MAX_SIDE_CELLS)
      .meta({ description: "Row of the cursor, 0 at the top." }),
    column: z.int().min(0).max(MAX_SIDE_CELLS).meta({
      description: "Column of the cursor, 0 at the left; equal to `cols` when a wrap is pending.",
    }),
    visible: z.boolean().meta({ description: "Whether the program shows the cursor." }),
  })
  .meta({ description: "Where the next character would be written." });
export type Cursor = z.infer<typeof Cursor>;

export const ScreenFormat = z.enum(["text", "ansi", "cells", "html", "svg"]).meta({
  description:
    "How the screen is written down: `text` without colours, `ansi` with escape sequences that restore it, `cells` as JSON rows of cells, `html` or `svg` as a picture.",
});
export type ScreenFormat = z.infer<typeof ScreenFormat>;

/** What a terminal shows as of a sequence, in a form from which a reader can start. */
export const Screen = z
  .strictObject({
    sequence: Sequence.meta({ description: "The last entry this screen takes into account." }),
    size: Size.meta({ description: "Extent of the screen in cells." }),
    format: ScreenFormat,
    text: z.string().meta({
      description: "The visible rows as plain text, joined by line feeds, trailing blanks removed.",
    }),
    content: z.string().optional().meta({
      description: "The screen in the format asked for; absent when the format is `text`.",
    }),
    cursor: Cursor.meta({ description: "Where the cursor stands." }),
    alternate: z.boolean().meta({
      description: "Whether a full-screen program shows the alternate screen.",
    }),
    degraded: z.literal(true).optional().meta({
      description:
        "Present when the program made the screen cost more to draw than its output pays for, so that sequences or marks were left out; the recording has all of them.",
    }),
    title: titleText("Title of the terminal; empty when nobody set one."),
    hash: z
      .string()
      .regex(/^[0-9a-f]{16,64}$/, "expected 16 to 64 hexadecimal digits")
      .meta({ description: "Digest of what is shown; equal screens have equal digests." }),
  })
  .meta({ description: "What a terminal shows as of a sequence." });
export type Screen = z.infer<typeof Screen>;
