import { NacreError } from "@nacre/contracts/plain";
import type { PtyLaunch } from "../pty.ts";
import { LIMIT_NAMES, type ProgramLimits } from "./limits.ts";

/** Refuses limits, where nobody can keep any. */
export function refuseLimits({ limits }: PtyLaunch): void {
  if (limits) refuseMissing(limits.asked, {});
}

/** Refuses what was asked for and is not among what can be kept. */
export function refuseMissing(asked: ProgramLimits, values: ProgramLimits): void {
  const missing = LIMIT_NAMES.find(
    (name) => asked[name] !== undefined && values[name] === undefined,
  );
  if (missing === undefined) return;
  const message = `limits.${missing}: this system cannot keep such a limit`;
  throw new NacreError("unsupported", message, {
    field: `limits.${missing}`,
    suggestion: "Leave it out; `nacre doctor` says what can be limited here, and why not more.",
  });
}
