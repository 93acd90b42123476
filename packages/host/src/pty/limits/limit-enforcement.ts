/** Decides which limits a program gets by which means, and starts it with them. */
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

/** In a cgroup a fork bomb ends here; no build comes near it. Counted otherwise, it would be in the way of others. */
const DEFAULT_MAX_PROCESSES = 4096;

/** Enters a cgroup and becomes the program; nothing runs that could not enter. */
const ENTER = 'echo 0 > "$1" && shift && exec "$@"; exit 125';

/** A name that a shell passes on. */
const SHELL_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

const NONE: LimitsInForce = { mechanism: "none" };

/** Looked for at the start: later, whoever started this process may be gone, and others in its place would pass for strangers. */
const atStart = findCgroup();

/** Made ready once: a process does not change its cgroup, but for what is done here. */
let base: { readonly found: CgroupBase | undefined } | undefined;

/** How a program ended, and why. */
export type ExitCause = Pick<PtyExit, "exitCode" | "signal" | "limitReached">;

/** What this system allows, for people who ask. */
export interface LimitsFinding {
  readonly mechanism: LimitsInForce["mechanism"];
  /** Why it is nothing better, where that is so. */
  readonly reason?: string;
  readonly controllers: readonly string[];
  /** Whether the number of processes can be limited. */
  readonly hasProcesses: boolean;
}

/** Looks by which means programs of this process could be limited, and changes nothing. */
export function findLimits(): LimitsFinding {
  const { directory, controllers, reason = "" } = findCgroup();
  if (directory !== undefined) return { mechanism: "cgroup", controllers, hasProcesses: true };
  if (PRLIMIT === undefined) {
    const both = `${reason}, and the program prlimit is missing`;
    return { mechanism: "none", reason: both, controllers: [], hasProcesses: false };
  }
  return { mechanism: "rlimit", reason, controllers: [], hasProcesses: countsProcesses() };
}

/** The limits of the programs of one Pty, from before their start to after their end. */
export class LimitEnforcement {
  readonly inForce: LimitsInForce;
  /** What holds them, and knows all of them. */
  readonly group: Cgroup | undefined;
  /** Words before the program, each of which becomes the next. */
  readonly words: readonly string[];

  private constructor(inForce: LimitsInForce, words: readonly string[], group?: Cgroup) {
    this.inForce = inForce;
    this.words = words;
    this.group = group;
  }

  /** Prepares what a launch says; refuses what was asked for and cannot be kept here. */
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

  /** Says of an end whether a limit was the reason. */
  explain(exit: ExitCause): ExitCause {
    if (exit.signal === "SIGXCPU" && this.inForce.maxCpuSeconds !== undefined) {
      return { ...exit, limitReached: "cpuTime" };
    }
    // Without a limit of its own, or killed from here, it did not end for want of what it may have.
    const isLimited = this.inForce.maxMemoryBytes !== undefined && !this.group?.wasKilled;
    if (exit.signal !== "SIGKILL" || !isLimited || !this.group?.hasKilledForMemory) return exit;
    return { ...exit, limitReached: "memory" };
  }

  /** Ends everything that is left; with a cgroup this is also the proof. */
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

/** What of some limits others do not have. */
function excludeLimits(limits: ProgramLimits, others: ProgramLimits): ProgramLimits {
  const entries = LIMIT_NAMES.map((name) => [name, others[name] === undefined ? limits[name] : 0]);
  return pickLimits(Object.fromEntries(entries) as ProgramLimits);
}

function pickCgroupLimits(wanted: ProgramLimits, groups: CgroupBase): ProgramLimits {
  const { maxProcesses, maxMemoryBytes, maxCpus } = wanted;
  return pickLimits({ maxProcesses, maxMemoryBytes, maxCpus: groups.hasCpu ? maxCpus : undefined });
}

/** A shell drops variables whose names it does not understand, such as exported functions; another program brings them back. */
function restoreOddVariables({ env }: PtyLaunch): readonly string[] {
  const odd = Object.entries(env).filter(([name]) => !SHELL_NAME.test(name));
  return odd.length === 0
    ? []
    : ["/usr/bin/env", ...odd.map(([name, value]) => `${name}=${value}`)];
}
