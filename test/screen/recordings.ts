import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

const DIRECTORY = join(import.meta.dirname, "../recordings");

/** The size of all terminals that were recorded. */
export const RECORDED_SIZE = { cols: 80, rows: 24 };

/** What a real program wrote to a terminal. */
export interface Recorded {
  readonly name: string;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** What the codes of its markers were made from, where there are any. */
  readonly secret?: string;
}

/** All recordings. */
export function readRecordings(): readonly Recorded[] {
  return readdirSync(DIRECTORY)
    .filter((file) => file.endsWith(".raw"))
    .map((file) => {
      const name = file.slice(0, -".raw".length);
      const bytes = new Uint8Array(readFileSync(join(DIRECTORY, file)));
      const codes = join(DIRECTORY, `${name}.codes`);
      const secret = existsSync(codes) ? { secret: readFileSync(codes, "utf8").trim() } : {};
      return { name, bytes, ...secret };
    });
}
