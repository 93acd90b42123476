import type { Screen } from "@nacre/contracts";
import { z } from "zod";
import { readText } from "../../base/text/output-text.ts";
import { areDistinguishable, type Colour, paletteColour } from "../../base/text/text-visibility.ts";

const RunColour = z.union([z.number(), z.string()]).optional();

const Rows = z.array(
  z.array(
    z.object({
      text: z.string(),
      width: z.number(),
      fg: RunColour,
      bg: RunColour,
      attributes: z.array(z.string()).optional(),
    }),
  ),
);

type Run = z.infer<typeof Rows>[number][number];

/** Concealed text, and text in the colour of its background, become blanks. */
export function renderVisibleScreen({ content, text }: Pick<Screen, "content" | "text">): string {
  if (content === undefined) return readText(text);
  const rows = Rows.parse(JSON.parse(content));
  return rows.map((runs) => readText(runs.map(renderRun).join("")).trimEnd()).join("\n");
}

function renderRun({ text, width, fg, bg, attributes = [] }: Run): string {
  const isSeen =
    !attributes.includes("hidden") && areDistinguishable(parseRunColour(fg), parseRunColour(bg));
  return isSeen ? text : " ".repeat(width);
}

function parseRunColour(value: Run["fg"]): Colour {
  return typeof value === "string" ? Number.parseInt(value.slice(1), 16) : paletteColour(value);
}
