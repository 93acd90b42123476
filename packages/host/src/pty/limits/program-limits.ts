import { NacreError } from "@nacre/contracts/plain";
import type { PtyLaunch } from "../pty.ts";

/** Absent or 0: unlimited. */
export interface ProgramLimits {
  readonly maxProcesses?: number | undefined;
  readonly maxMemoryBytes?: number | undefined;
  /** 1.5 is one and a half CPUs. */
  readonly maxCpus?: number | undefined;
  readonly maxCpuSeconds?: number | undefined;
  readonly maxOpenFiles?: number | undefined;
}

export type LimitName = keyof ProgramLimits;

/** In display order. */
export const LIMIT_NAMES: readonly LimitName[] = [
  "maxProcesses",
  "maxMemoryBytes",
  "maxCpus",
  "maxCpuSeconds",
  "maxOpenFiles",
];

export interface LaunchLimits {
  /** A launch that cannot have these is refused. */
  readonly asked: ProgramLimits;
  /** Applied where the system can enforce them and nothing else was asked for. */
  readonly defaults: ProgramLimits;
  /** Whether this process may divide its own cgroup. */
  readonly cgroups: boolean;
}

/** A cgroup bounds all programs of a PTY together, rlimits bound each process. */
export interface LimitsInForce extends ProgramLimits {
  readonly mechanism: "cgroup" | "rlimit" | "none";
}

export type LimitReached = "memory" | "cpuTime";

export function pickLimits(values: ProgramLimits): ProgramLimits {
  const entries = LIMIT_NAMES.map((name) => [name, values[name]] as const);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined && value > 0));
}

/** For drivers that enforce none. */
export function refuseLimits({ limits }: PtyLaunch): void {
  if (limits) refuseMissing(limits.asked, {});
}

/** Refuses a limit that was asked for and cannot be enforced. */
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
