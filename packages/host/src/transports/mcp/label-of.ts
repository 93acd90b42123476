import { readableText } from "./readable-text.ts";

/** Labels are read on one line of a list. */
const MAX_LABEL_LENGTH = 80;

/** What people see the terminal of a command line by. */
export const makeLabel = (line: string): string =>
  readableText(line).replaceAll(/\s+/g, " ").trim().slice(0, MAX_LABEL_LENGTH).toWellFormed() ||
  "command";
