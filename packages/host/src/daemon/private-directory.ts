import { mkdirSync, type Stats } from "node:fs";
import { NacreError } from "@nacre/contracts";
import { hasErrno } from "../base/errno.ts";
import { requirePrivateDirectory } from "../auth/private-file.ts";

const OWNER_ONLY = 0o700;

/** Creates it, or refuses an existing one that is a symlink, another user's, or open to others. */
export function ensurePrivateDirectory(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: OWNER_ONLY });
  } catch (cause) {
    // What exists is checked below, and named.
    if (!hasErrno(cause, "EEXIST")) {
      throw new NacreError(
        "unavailable",
        `the directory ${path} cannot be created: ${String(cause)}`,
        {
          cause,
          suggestion: "Create it with mode 0700, or set NACRE_HOME to a directory of yours.",
        },
      );
    }
  }
  requirePrivateDirectory(path);
}

/** Always true where there are no users. */
export function isOwnFile({ uid }: Stats): boolean {
  return process.getuid === undefined || uid === process.getuid();
}
