import { join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "../../../..");

/** Where the test runner keeps what it has made of the sources; nothing where it does not run. */
const place = process.env["BUILT_PROGRAMS"];

/** What Node is given to run a source: what was made of it, which starts in a third of the time, or else the source. */
export const programOf = (source: string): readonly string[] =>
  place === undefined
    ? ["--conditions=nacre-source", source]
    : [join(place, relative(ROOT, source).replace(/\.ts$/, ".js"))];
