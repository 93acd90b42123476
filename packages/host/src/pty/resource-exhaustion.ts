/** Translates EMFILE, EAGAIN and the like. */
import { closeSync, openSync } from "node:fs";
import { NacreError } from "@nacre/contracts/plain";
import { errnoOf } from "../base/errno.ts";

/** In words of somebody who can act on it. */
const EXHAUSTED: Readonly<Record<string, string>> = {
  EMFILE: "this process has no more file descriptors (its limit is RLIMIT_NOFILE)",
  ENFILE: "the machine has no more file descriptors (fs.file-max)",
  ENOSPC: "the machine has no more pseudo-terminals (kernel.pty.max)",
  EAGAIN: "no more processes may be started (RLIMIT_NPROC or pids.max)",
  ENOMEM: "the machine has no more memory",
};

/** Ending a program reads the process table, which needs a few descriptors; without them none is started. */
const SPARE_DESCRIPTORS = 8;

/** Undefined for any other failure. */
export function toExhaustionError(action: string, cause: unknown): NacreError | undefined {
  const code = errnoOf(cause) ?? "";
  return toExhaustionErrorByName(action, code, cause);
}

/** For a failure known only by its errno name. */
export function toExhaustionErrorByName(
  action: string,
  name: string,
  cause?: unknown,
): NacreError | undefined {
  const what = Object.hasOwn(EXHAUSTED, name) ? EXHAUSTED[name] : undefined;
  if (what === undefined) return undefined;
  return new NacreError("resource_exhausted", `${action}: ${what}`, { cause });
}

/** Refuses to start what could not be ended for want of descriptors. */
export function requireDescriptors(): void {
  using opened = new DisposableStack();
  try {
    for (let count = 0; count < SPARE_DESCRIPTORS; count++) {
      opened.adopt(openSync("/dev/null", "r"), closeSync);
    }
  } catch (cause) {
    throw toExhaustionError("cannot start a program", cause) ?? cause;
  }
}
