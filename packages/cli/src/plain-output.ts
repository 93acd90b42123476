import { safeLines } from "@nacre/client/ui";
import { stripVTControlCharacters } from "node:util";

/** What a program wrote, as lines that can be read: without escape sequences, and of each line only what was written over the rest of it last. */
export function plainOutput(text: string): string {
  const lines = stripVTControlCharacters(text).replaceAll(/\r+\n/g, "\n").split("\n");
  return safeLines(
    lines.map((line) => line.replace(/^.*\r(?=.)/s, "").replaceAll("\r", "")).join("\n"),
  );
}
