/** Finds a cgroup that is this process's to divide; no other is ever touched. */
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import koffi from "koffi";
import { readProcess } from "../process-table.ts";
import { Cgroup } from "./cgroup.ts";

/** Where the host itself stays, since a cgroup with processes of its own has no parts. */
const HOST_GROUP = "nacre-host";

/** Without these there is nothing to be gained over rlimits. */
const NEEDED_CONTROLLERS: readonly string[] = ["pids", "memory"];
const USED_CONTROLLERS: readonly string[] = [...NEEDED_CONTROLLERS, "cpu"];

/** By these systemd says that it leaves a cgroup to whoever runs in it. */
const DELEGATION_MARKS: readonly string[] = ["user.delegate", "trusted.delegate"];

/** Names that only systemd gives; such a cgroup is its own unless it says otherwise. */
const SYSTEMD_NAME = /\.(service|scope|slice|mount|socket)$/;

/** What was found. */
export interface CgroupFinding {
  /** The cgroup whose parts programs get; absent when there is none to be used. */
  readonly directory?: string;
  readonly controllers: readonly string[];
  /** Why there is none, for people. */
  readonly reason?: string;
}

/** What is looked at; the system's own when absent. */
export interface CgroupProbe {
  /** The cgroup that this process is in. */
  readonly own?: string;
  readonly needed?: readonly string[];
}

const getxattr = koffi
  .load(null)
  .func("getxattr", "long", ["const char *", "const char *", "void *", "size_t"]);

/** Looks for a cgroup of our own without changing anything. */
export function findCgroup(probe: CgroupProbe = {}): CgroupFinding {
  const own = probe.own ?? ownCgroup();
  if (own === undefined) return { controllers: [], reason: "no cgroup v2 is mounted" };
  const needed = probe.needed ?? NEEDED_CONTROLLERS;
  const above = dirname(own);
  // What is above comes first: once it was divided, the part that this process is in could be divided as well.
  const isPart = isPartOfOurs(own) && explainUnusable(above, needed, true) === undefined;
  if (isPart) return { directory: above, controllers: readControllers(above) };
  const reason = explainUnusable(own, needed, isDelegated(own) || isAlone(own));
  if (reason === undefined) return { directory: own, controllers: readControllers(own) };
  return { controllers: [], reason };
}

/** Whether a cgroup is the part of ours where the host stays: made here, or by systemd for `DelegateSubgroup=`. */
function isPartOfOurs(directory: string): boolean {
  if (basename(directory) === HOST_GROUP) return true;
  if (SYSTEMD_NAME.test(basename(directory)) || isDelegated(directory)) return false;
  return isDelegated(dirname(directory));
}

/** The cgroup whose parts programs get, made ready for them. */
export class CgroupBase {
  readonly #directory: string;
  readonly #controllers: readonly string[];

  private constructor(directory: string, controllers: readonly string[]) {
    this.#directory = directory;
    this.#controllers = controllers;
  }

  /** Makes the cgroup ready that was found; undefined where there is none. */
  static open({ directory, controllers }: CgroupFinding): CgroupBase | undefined {
    if (directory === undefined) return undefined;
    const used = USED_CONTROLLERS.filter((name) => controllers.includes(name));
    const base = new CgroupBase(directory, used);
    try {
      base.#makeRoom();
    } catch {
      return undefined; // Whatever was allowed a moment ago is not: rlimits are left.
    }
    base.#removeOrphans();
    return base;
  }

  get hasCpu(): boolean {
    return this.#controllers.includes("cpu");
  }

  /** The cgroup for the programs of a Pty. */
  create(id: string): Cgroup {
    const { startTicks = 0 } = readProcess(process.pid) ?? {};
    return new Cgroup(join(this.#directory, `nacre-${process.pid}-${startTicks}-${id}`));
  }

  /** Moves the host out of the way, and lets the parts have limits. */
  #makeRoom(): void {
    const processes = readProcesses(this.#directory);
    if (processes.length > 0) {
      const host = join(this.#directory, HOST_GROUP);
      mkdirSync(host, { recursive: true });
      for (const pid of processes) writeFileSync(join(host, "cgroup.procs"), String(pid));
    }
    const enabled = this.#controllers.map((name) => `+${name}`).join(" ");
    if (enabled !== "") writeFileSync(join(this.#directory, "cgroup.subtree_control"), enabled);
  }

  /** What a host left that is gone: nobody could end it any more. */
  #removeOrphans(): void {
    for (const name of readdirSync(this.#directory)) {
      const [, pid, startTicks] = /^nacre-(\d+)-(\d+)-/.exec(name) ?? [];
      if (pid === undefined || readProcess(Number(pid))?.startTicks === Number(startTicks))
        continue;
      void new Cgroup(join(this.#directory, name), true).remove();
    }
  }
}

/** Why a cgroup cannot be used; undefined when it can. */
function explainUnusable(
  directory: string,
  needed: readonly string[],
  isOurs: boolean,
): string | undefined {
  if (!existsSync(join(directory, "cgroup.procs"))) return `${directory} cannot be seen`;
  const files = ["", "cgroup.procs", "cgroup.subtree_control"];
  if (!files.every((name) => isWritable(join(directory, name)))) {
    return `${directory} may not be divided by this user`;
  }
  if (!isOurs) return `${directory} is not left to this program alone`;
  if (!hasOnlyOurs(directory)) return `${directory} has other programs in it`;
  const controllers = readControllers(directory);
  const missing = needed.filter((name) => !controllers.includes(name));
  return missing.length === 0 ? undefined : `${directory} has no controller ${missing.join(", ")}`;
}

/** The cgroup of this process in the one hierarchy of version 2. */
export function ownCgroup(): string | undefined {
  try {
    const path = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "latin1"))?.[1];
    const mounts = readFileSync("/proc/self/mountinfo", "latin1").split("\n");
    const fields = mounts.find((line) => line.includes(" - cgroup2 "))?.split(" ");
    const [root, mountPoint] = [fields?.[3], fields?.[4]];
    if (path === undefined || root === undefined || mountPoint === undefined) return undefined;
    return join(mountPoint, relative(root, path));
  } catch {
    return undefined; // Another system, or one without /proc.
  }
}

/** A cgroup that nobody else names or uses, such as the root of a container. */
const isAlone = (directory: string): boolean =>
  !SYSTEMD_NAME.test(basename(directory)) && readProcesses(directory).length > 0;

const isDelegated = (directory: string): boolean =>
  DELEGATION_MARKS.some((name) => {
    const value = new Uint8Array(8);
    return getxattr(directory, name, value, value.byteLength) === 1 && value[0] === 0x31;
  });

/** Only this process may be there, the one that started it, which is the daemon of a keeper, and what they started. */
function hasOnlyOurs(directory: string): boolean {
  const ours = new Set([process.pid, process.ppid]);
  const isOurs = (pid: number): boolean => {
    if (ours.has(pid)) return true;
    const parent = readProcess(pid)?.parent ?? 0;
    return parent > 1 && isOurs(parent);
  };
  return readProcesses(directory).every(isOurs);
}

/** The processes in a cgroup itself, not in its parts. */
function readProcesses(directory: string): readonly number[] {
  return readLines(join(directory, "cgroup.procs")).map(Number);
}

const readControllers = (directory: string): readonly string[] =>
  readLines(join(directory, "cgroup.controllers")).flatMap((line) => line.split(" "));

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "latin1").split("\n").filter(Boolean);
  } catch {
    return []; // It is gone, or not for us to read.
  }
}

function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
