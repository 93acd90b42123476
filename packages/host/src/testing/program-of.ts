import { join, relative } from "node:path";

const ROOT = join(import.meta.dirname, "../../../..");

/** Set by the test runner. */
const place = process.env["BUILT_PROGRAMS"];

/** The built program, which starts in a third of the time, or the source. */
export const programOf = (source: string): readonly string[] =>
  place === undefined
    ? ["--conditions=nacre-source", source]
    : [join(place, relative(ROOT, source).replace(/\.ts$/, ".js"))];
