import { labelText, titleText } from "./bounded-text.ts";
import type { z } from "zod";

/** A chapter name must fit on one line of a player. */
const MAX_LABEL_LENGTH = 256;

/** The title of a Terminal. */
export const TerminalTitle = titleText("Title of a terminal; empty to take it away.");
export type TerminalTitle = z.infer<typeof TerminalTitle>;

/** What stands at a point of a Recording. */
export const MarkerLabel = labelText({
  description: "What is at a point of a recording; may be empty.",
  maxLength: MAX_LABEL_LENGTH,
  minLength: 0,
});
export type MarkerLabel = z.infer<typeof MarkerLabel>;
