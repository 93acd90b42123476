/** Decides which limits are enforced by which means, and starts the program with them. */
import { NacreError } from "@nacre/contracts/plain";
import { toExhaustionError } from "../resource-exhaustion.ts";
import type { PtyExit, PtyLaunch } from "../pty.ts";
import { type Cgroup, CgroupBase, findCgroup } from "./cgroup.ts";
import {
  LIMIT_NAMES,
  type LimitsInForce,
  pickLimits,
  type ProgramLimits,
  refuseMissing,
} from "./program-limits.ts";
import { countsProcesses, PRLIMIT, rlimitsFor, rlimitWords } from "./rlimits.ts";

/** Ends a fork bomb in a cgroup; no build comes near it. RLIMIT_NPROC counts the whole user, so it gets no default. */
const DEFAULT_MAX_PROCESSES = 4096;

/** Enters a cgroup and execs the program; a program that cannot enter does not run. */
const ENTER = 'echo 0 > "$1" && shift && exec "$@"; exit 125';

/** A name that a shell passes on. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const NONE: LimitsInForce = { mechanism: "none" };

/** Found at the start: later our parent may be gone, and others in the cgroup would look like strangers. */
const atStart = findCgroup();

/** Once: a process does not change its cgroup except here. */
let base: { readonly found: CgroupBase | undefined } | undefined;

export type ExitCause = Pick<PtyExit, "exitCode" | "signal" | "limitReached">;

export interface LimitsFinding {
  readonly mechanism: LimitsInForce["mechanism"];
  /** Why there is nothing better. */
  readonly reason?: string;
  readonly controllers: readonly string[];
  /** Whether processes can be limited in number. */
  readonly hasProcesses: boolean;
}

/** Changes nothing. */
export function findLimits(): LimitsFinding {
  const { directory, controllers, reason = "" } = findCgroup();
  if (directory !== undefined) return { mechanism: "cgroup", controllers, hasProcesses: true };
  if (PRLIMIT === undefined) {
    const both = `${reason}, and the program prlimit is missing`;
    return { mechanism: "none", reason: both, controllers: [], hasProcesses: false };
  }
  return { mechanism: "rlimit", reason, controllers: [], hasProcesses: countsProcesses() };
}

/** The limits of one PTY's programs, from before their start to after their end. */
export class LimitEnforcement {
  readonly inForce: LimitsInForce;
  /** Contains all of them. */
  readonly group: Cgroup | undefined;
  /** Wrapper commands before the program; each execs the next. */
  readonly words: readonly string[];

  private constructor(inForce: LimitsInForce, words: readonly string[], group?: Cgroup) {
    this.inForce = inForce;
    this.words = words;
    this.group = group;
  }

  /** Refuses an explicit limit that cannot be enforced here. */
  static prepare(launch: PtyLaunch, id: string): LimitEnforcement {
    const { limits } = launch;
    if (!limits) return new LimitEnforcement(NONE, []);
    const groups = limits.cgroups ? openBase() : undefined;
    const wanted = pickLimits({
      ...(groups ? { maxProcesses: DEFAULT_MAX_PROCESSES } : {}),
      ...limits.defaults,
      ...pickLimits(limits.asked),
    });
    const together = groups ? pickCgroupLimits(wanted, groups) : {};
    const each = rlimitsFor(excludeLimits(wanted, together));
    const values = { ...each, ...together };
    refuseMissing(limits.asked, values);
    const words = rlimitWords(each);
    if (!groups) {
      const mechanism = words.length > 0 ? "rlimit" : "none";
      return new LimitEnforcement({ mechanism, ...values }, words);
    }
    const group = makeGroup(groups.create(id), together);
    const enter = ["/bin/sh", "-c", ENTER, "sh", group.entrance, ...restoreOddVariables(launch)];
    return new LimitEnforcement({ mechanism: "cgroup", ...values }, [...enter, ...words], group);
  }

  /** Adds `limitReached` where a limit caused the end. */
  explain(exit: ExitCause): ExitCause {
    if (exit.signal === "SIGXCPU" && this.inForce.maxCpuSeconds !== undefined) {
      return { ...exit, limitReached: "cpuTime" };
    }
    // Without a memory limit of its own, or killed by us, the limit was not the cause.
    const isLimited = this.inForce.maxMemoryBytes !== undefined && !this.group?.wasKilled;
    if (exit.signal !== "SIGKILL" || !isLimited || !this.group?.hasKilledForMemory) return exit;
    return { ...exit, limitReached: "memory" };
  }

  /** Ends the rest; with a cgroup this is also the proof. */
  async end(): Promise<void> {
    await this.group?.remove();
  }
}

function openBase(): CgroupBase | undefined {
  base ??= { found: CgroupBase.open(atStart) };
  return base.found;
}

function makeGroup(group: Cgroup, limits: ProgramLimits): Cgroup {
  try {
    group.limit(limits);
    return group;
  } catch (cause) {
    void group.remove();
    const message = "the limits of a terminal cannot be set";
    throw (
      toExhaustionError(message, cause) ??
      new NacreError("unavailable", `${message}: ${String(cause)}`, { cause })
    );
  }
}

/** The limits that `others` lack. */
function excludeLimits(limits: ProgramLimits, others: ProgramLimits): ProgramLimits {
  const entries = LIMIT_NAMES.map((name) => [name, others[name] === undefined ? limits[name] : 0]);
  return pickLimits(Object.fromEntries(entries) as ProgramLimits);
}

function pickCgroupLimits(wanted: ProgramLimits, groups: CgroupBase): ProgramLimits {
  const { maxProcesses, maxMemoryBytes, maxCpus } = wanted;
  return pickLimits({ maxProcesses, maxMemoryBytes, maxCpus: groups.hasCpu ? maxCpus : undefined });
}

/** A shell drops variables with odd names, such as exported functions; `env` restores them. */
function restoreOddVariables({ env }: PtyLaunch): readonly string[] {
  const odd = Object.entries(env).filter(([name]) => !SHELL_NAME.test(name));
  return odd.length === 0
    ? []
    : ["/usr/bin/env", ...odd.map(([name, value]) => `${name}=${value}`)];
}
