import type { Stats } from "node:fs";

/** Whether a file belongs to the user that runs this; always where there are no users. */
export function isOwnFile({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
