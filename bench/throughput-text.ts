// A file of text as terminals show it, and what a viewer has to see of it.
import { closeSync, openSync, writeSync } from "node:fs";
import { crc32 } from "node:zlib";
import { TerminalText } from "./terminal-text.ts";

/** A file, and what a cooked terminal makes of it. */
export interface Flood {
  readonly path: string;
  readonly fileBytes: number;
  readonly shownBytes: number;
  readonly checksum: number;
}

/** So much is different; then it begins again. */
const DIFFERENT_BYTES = 4_000_000;

/** Writes a file of about so many bytes. Each line end becomes two bytes on a cooked terminal. */
export function writeFlood(path: string, bytes: number): Flood {
  const shown = new TerminalText().bytes(DIFFERENT_BYTES);
  const written = Buffer.from(shown.toString("latin1").replaceAll("\r\n", "\n"), "latin1");
  const flood = { path, fileBytes: 0, shownBytes: 0, checksum: 0 };
  const file = openSync(path, "w");
  while (flood.fileBytes < bytes) {
    flood.fileBytes += writeSync(file, written);
    flood.shownBytes += shown.byteLength;
    flood.checksum = crc32(shown, flood.checksum);
  }
  closeSync(file);
  return flood;
}
