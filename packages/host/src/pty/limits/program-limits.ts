import { NacreError } from "@nacre/contracts/plain";
import type { PtyLaunch } from "../pty.ts";

/** What the programs of one Pty may use; what is absent or 0 is not limited. */
export interface ProgramLimits {
  readonly maxProcesses?: number | undefined;
  readonly maxMemoryBytes?: number | undefined;
  /** In processors: 1.5 is one and a half. */
  readonly maxCpus?: number | undefined;
  readonly maxCpuSeconds?: number | undefined;
  readonly maxOpenFiles?: number | undefined;
}

/** Names a limit. */
export type LimitName = keyof ProgramLimits;

/** All of them, in the order in which they are told. */
export const LIMIT_NAMES: readonly LimitName[] = [
  "maxProcesses",
  "maxMemoryBytes",
  "maxCpus",
  "maxCpuSeconds",
  "maxOpenFiles",
];

/** What a launch says of limits. */
export interface LaunchLimits {
  /** A launch that cannot have these is refused. */
  readonly asked: ProgramLimits;
  /** These count where the system can keep them and nothing else was asked. */
  readonly defaults: ProgramLimits;
  /** Whether this process may divide its own cgroup among programs. */
  readonly cgroups: boolean;
}

/** What holds the programs of a Pty: a cgroup holds all of them together, rlimits hold each process. */
export interface LimitsInForce extends ProgramLimits {
  readonly mechanism: "cgroup" | "rlimit" | "none";
}

/** Which limit ended a program. */
export type LimitReached = "memory" | "cpuTime";

/** Only the limits that are there. */
export function pickLimits(values: ProgramLimits): ProgramLimits {
  const entries = LIMIT_NAMES.map((name) => [name, values[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value > 0));
}

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
