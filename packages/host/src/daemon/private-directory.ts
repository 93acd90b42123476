import { mkdirSync } from "node:fs";
import { NacreError } from "@nacre/contracts";
import { requirePrivateDirectory } from "../auth/private-file.ts";

const OWNER_ONLY = 0o700;

/** Makes a directory that only its owner may enter, or refuses the one that is there: a link, another's, or open to others. */
export function ensurePrivateDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
  } catch (cause) {
    // What stands in the way is looked at below, and named.
    if (!(cause instanceof Error && "code" in cause && cause.code === "EEXIST")) {
      throw new NacreError(
        "unavailable",
        `the directory ${path} cannot be made: ${String(cause)}`,
        {
          cause,
          suggestion: "Make it yourself with mode 0700, or set NACRE_HOME to a directory of yours.",
        },
      );
    }
  }
  requirePrivateDirectory(path);
}
