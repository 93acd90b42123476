import { safeLines } from "@nacre/client/ui";
import { stripVTControlCharacters } from "node:util";

/** Readable lines: without escape sequences, and with overwritten text applied. */
export function plainOutput(text: string): string {
  const lines = stripVTControlCharacters(text).replaceAll(/\r+\n/g, "\n").split("\n");
  return safeLines(
    lines.map((line) => line.replace(/^.*\r(?=.)/s, "").replaceAll("\r", "")).join("\n"),
  );
}
