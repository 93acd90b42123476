import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasErrno } from "../../base/errno.ts";
import koffi from "koffi";
import { readProcess } from "../process-table.ts";
import type { ProgramLimits } from "./program-limits.ts";

/** Finds a cgroup that was delegated to this process; no other is ever touched. */

/** The host's own subgroup, since cgroup v2 allows no processes in inner nodes. */
const HOST_GROUP = "nacre-host";

/** Without these, cgroups gain nothing over rlimits. */
const NEEDED_CONTROLLERS: readonly string[] = ["pids", "memory"];
const USED_CONTROLLERS: readonly string[] = [...NEEDED_CONTROLLERS, "cpu"];

/** Extended attributes by which systemd marks a delegated cgroup. */
const DELEGATION_MARKS: readonly string[] = ["user.delegate", "trusted.delegate"];

/** Names that only systemd gives; such a cgroup is its own unless delegated. */
const SYSTEMD_NAME = /\.(service|scope|slice|mount|socket)$/;

interface CgroupFinding {
  /** Its subgroups hold programs; absent when none is usable. */
  readonly directory?: string;
  readonly controllers: readonly string[];
  /** For people. */
  readonly reason?: string;
}

/** Defaults to the system. */
interface CgroupProbe {
  /** This process's cgroup. */
  readonly own?: string;
  readonly needed?: readonly string[];
}

const getxattr = koffi
  .load(null)
  .func("getxattr", "long", ["const char *", "const char *", "void *", "size_t"]);

/** Changes nothing. */
export function findCgroup(probe: CgroupProbe = {}): CgroupFinding {
  const own = probe.own ?? ownCgroup();
  if (own === undefined) return { controllers: [], reason: "no cgroup v2 is mounted" };
  const needed = probe.needed ?? NEEDED_CONTROLLERS;
  const above = dirname(own);
  // The parent comes first: once it was divided, the subgroup that this process is in could be divided as well.
  const isPart = isPartOfOurs(own) && explainUnusable(above, needed, true) === undefined;
  if (isPart) return { directory: above, controllers: readControllers(above) };
  const reason = explainUnusable(own, needed, isDelegated(own) || isAlone(own));
  if (reason === undefined) return { directory: own, controllers: readControllers(own) };
  return { controllers: [], reason };
}

/** Whether a cgroup is the host's own subgroup: made here, or by systemd for `DelegateSubgroup=`. */
function isPartOfOurs(directory: string): boolean {
  if (basename(directory) === HOST_GROUP) return true;
  if (SYSTEMD_NAME.test(basename(directory)) || isDelegated(directory)) return false;
  return isDelegated(dirname(directory));
}

/** The cgroup whose subgroups hold programs. */
export class CgroupBase {
  readonly #directory: string;
  readonly #controllers: readonly string[];

  private constructor(directory: string, controllers: readonly string[]) {
    this.#directory = directory;
    this.#controllers = controllers;
  }

  /** Undefined where none is usable. */
  static open({ directory, controllers }: CgroupFinding): CgroupBase | undefined {
    if (directory === undefined) return undefined;
    const used = USED_CONTROLLERS.filter((name) => controllers.includes(name));
    const base = new CgroupBase(directory, used);
    try {
      base.#makeRoom();
    } catch {
      return undefined; // No longer permitted: rlimits are used.
    }
    base.#removeOrphans();
    return base;
  }

  get hasCpu(): boolean {
    return this.#controllers.includes("cpu");
  }

  create(id: string): Cgroup {
    const { startTicks = 0 } = readProcess(process.pid) ?? {};
    return new Cgroup(join(this.#directory, `nacre-${process.pid}-${startTicks}-${id}`));
  }

  /** Moves the host into its subgroup and enables the controllers. */
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

  /** Subgroups of a host that is gone: nobody else would end them. */
  #removeOrphans(): void {
    for (const name of readdirSync(this.#directory)) {
      const [, pid, startTicks] = /^nacre-(\d+)-(\d+)-/.exec(name) ?? [];
      if (pid === undefined || readProcess(Number(pid))?.startTicks === Number(startTicks))
        continue;
      void new Cgroup(join(this.#directory, name), true).remove();
    }
  }
}

/** Undefined when it is usable. */
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

/** From the unified hierarchy (cgroup v2). */
export function ownCgroup(): string | undefined {
  try {
    const path = /^0::(.*)$/m.exec(readFileSync("/proc/self/cgroup", "latin1"))?.[1];
    const mounts = readFileSync("/proc/self/mountinfo", "latin1").split("\n");
    const fields = mounts.find((line) => line.includes(" - cgroup2 "))?.split(" ");
    const [root, mountPoint] = [fields?.[3], fields?.[4]];
    if (path === undefined || root === undefined || mountPoint === undefined) return undefined;
    return join(mountPoint, relative(root, path));
  } catch {
    return undefined; // Another system, or no procfs.
  }
}

/** A cgroup that nobody else uses, such as the root of a container. */
const isAlone = (directory: string): boolean =>
  !SYSTEMD_NAME.test(basename(directory)) && readProcesses(directory).length > 0;

const isDelegated = (directory: string): boolean =>
  DELEGATION_MARKS.some((name) => {
    const value = new Uint8Array(8);
    return getxattr(directory, name, value, value.byteLength) === 1 && value[0] === 0x31;
  });

/** Only this process, its parent, which is a keeper's daemon, and their children. */
function hasOnlyOurs(directory: string): boolean {
  const ours = new Set([process.pid, process.ppid]);
  const isOurs = (pid: number): boolean => {
    if (ours.has(pid)) return true;
    const parent = readProcess(pid)?.parent ?? 0;
    return parent > 1 && isOurs(parent);
  };
  return readProcesses(directory).every(isOurs);
}

/** Without those in subgroups. */
function readProcesses(directory: string): readonly number[] {
  return readLines(join(directory, "cgroup.procs")).map(Number);
}

const readControllers = (directory: string): readonly string[] =>
  readLines(join(directory, "cgroup.controllers")).flatMap((line) => line.split(" "));

function readLines(path: string): readonly string[] {
  try {
    return readFileSync(path, "latin1").split("\n").filter(Boolean);
  } catch {
    return []; // It is gone, not for us to read, or the kernel has no such file.
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

/** `cpu.max` period. */
const PERIOD_US = 100_000;

/** How long killed programs may take to be gone. */
const MAX_REMOVE_MS = 5000;
const LOOK_AGAIN_MS = 10;

/** The cgroup of one PTY's programs: nothing they start can leave it. */
export class Cgroup {
  readonly #directory: string;
  #wasKilled = false;

  constructor(directory: string, isThere = false) {
    this.#directory = directory;
    if (!isThere) mkdirSync(directory);
  }

  /** `cgroup.procs`: writing 0 moves the writer. */
  get entrance(): string {
    return join(this.#directory, "cgroup.procs");
  }

  /** Shared by all programs in it. */
  limit({ maxProcesses, maxMemoryBytes, maxCpus }: ProgramLimits): void {
    if (maxProcesses !== undefined) this.#write("pids.max", String(maxProcesses));
    if (maxMemoryBytes !== undefined) {
      this.#write("memory.max", String(maxMemoryBytes));
      this.#writeIfThere("memory.swap.max", "0");
    }
    if (maxCpus !== undefined) {
      this.#write("cpu.max", `${Math.round(maxCpus * PERIOD_US)} ${PERIOD_US}`);
    }
  }

  members(): ReadonlySet<number> {
    return new Set(this.#groups().flatMap((group) => readProcesses(join(this.#directory, group))));
  }

  /** `memory.events`: oom_kill. */
  get hasKilledForMemory(): boolean {
    const events = readLines(join(this.#directory, "memory.events"));
    return events.some((line) => /^oom_kill [1-9]/.test(line));
  }

  /** `kill` was called. */
  get wasKilled(): boolean {
    return this.#wasKilled;
  }

  /** Includes processes that are being forked at this moment. */
  kill(): void {
    this.#wasKilled = true;
    if (this.#writeIfThere("cgroup.kill", "1")) return;
    // Kernels before 5.14 have no `cgroup.kill`. Frozen processes fork nothing more and can be killed one by one.
    this.#writeIfThere("cgroup.freeze", "1");
    for (const pid of this.members()) killProcess(pid);
  }

  /** Kills the rest and removes the cgroup; true proves that everything ever started in it is gone. */
  async remove(): Promise<boolean> {
    const until = performance.now() + MAX_REMOVE_MS;
    for (;;) {
      this.kill();
      if (this.#removeGroups()) return true;
      if (performance.now() > until) {
        // What cannot be killed must not stay frozen.
        this.#writeIfThere("cgroup.freeze", "0");
        return false;
      }
      await wait(LOOK_AGAIN_MS);
    }
  }

  /** rmdir fails while a process is in it. */
  #removeGroups(): boolean {
    try {
      for (const group of this.#groups().toReversed()) rmdirSync(join(this.#directory, group));
      return true;
    } catch (error) {
      return hasErrno(error, "ENOENT");
    }
  }

  /** Including subgroups that programs made; outermost first. */
  #groups(): readonly string[] {
    try {
      const found = readdirSync(this.#directory, { recursive: true, withFileTypes: true });
      const parts = found
        .filter((one) => one.isDirectory())
        .map((one) => join(one.parentPath, one.name).slice(this.#directory.length + 1));
      return ["", ...parts.toSorted((one, other) => one.length - other.length)];
    } catch {
      return [""]; // Gone, or a subgroup just now.
    }
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#directory, name), text, { flag: "w" });
  }

  /** Whether the kernel has the file and accepted the value. */
  #writeIfThere(name: string, text: string): boolean {
    try {
      // Some of these files are write-only.
      const fd = openSync(join(this.#directory, name), constants.O_WRONLY);
      try {
        writeSync(fd, text);
        return true;
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      if (!hasErrno(error, "ENOENT", "EACCES", "ENODEV", "EOPNOTSUPP")) throw error;
      return false;
    }
  }
}

function killProcess(pid: number): void {
  // A process of another namespace shows as 0, which kill takes for our own group.
  if (pid <= 1 || pid === process.pid) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!hasErrno(error, "ESRCH", "EPERM")) throw error;
  }
}
