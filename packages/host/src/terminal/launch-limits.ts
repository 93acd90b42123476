import { NacreError, parse, ProgramLimits } from "@nacre/contracts";
import type { LaunchLimits, LimitName } from "../pty/limits/limits.ts";
import type { LaunchPolicy } from "../pty/launch.ts";

/** What a launch says of limits: those of the policy, and what was asked for below them. */
export function resolveLimits(
  policy: LaunchPolicy["limits"],
  asked: ProgramLimits | undefined,
): LaunchLimits | undefined {
  if (!policy && !asked) return undefined;
  const { defaults = {}, cgroups = false } = policy ?? {};
  const limits = parse(ProgramLimits, asked ?? {}, "limits");
  for (const [name, most] of Object.entries(defaults) as [LimitName, number | undefined][]) {
    const value = limits[name];
    // Nothing is what nobody limits.
    if (!most || value === undefined || value <= most) continue;
    throw new NacreError("invalid_argument", `limits.${name}: the host allows at most ${most}`, {
      field: `limits.${name}`,
      suggestion: "Ask for less, or leave it out.",
    });
  }
  return { asked: limits, defaults, cgroups };
}
