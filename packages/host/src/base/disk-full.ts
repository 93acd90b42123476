import { NacreError } from "@nacre/contracts/plain";
import { hasErrno } from "./errno.ts";

/** What the system says where there is no space, or no more of it for this user. */
export const isOutOfSpace = (error: unknown): boolean => hasErrno(error, "ENOSPC", "EDQUOT");

/** The failure to write a file for want of space, which whoever asked can do something about. */
export function diskFullError(cause: unknown, path = pathOf(cause)): NacreError {
  const what = path === undefined ? "a file" : path;
  return new NacreError("recording_blocked", `the disk is full: ${what} cannot be written`, {
    cause,
    suggestion:
      "Make room on the disk, or remove recordings with `nacre rm` or `nacre prune` while the daemon runs; then try again.",
    ...(path === undefined ? {} : { details: { path } }),
  });
}

function pathOf(error: unknown): string | undefined {
  const path: unknown = error instanceof Error && "path" in error ? error.path : undefined;
  return typeof path === "string" ? path : undefined;
}
