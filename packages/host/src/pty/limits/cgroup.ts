import {
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { hasCode } from "../linux-start.ts";
import type { ProgramLimits } from "./limits.ts";

/** The kernel shares processors in periods of so many microseconds. */
const PERIOD_US = 100_000;

/** How long programs may take to be gone after they were killed. */
const MAX_REMOVE_MS = 5000;
const LOOK_AGAIN_MS = 10;

/** The cgroup of the programs of one Pty: nothing that they start can leave it. */
export class Cgroup {
  readonly #directory: string;
  #wasKilled = false;

  /** Makes it, unless it is there. */
  constructor(directory: string, isThere = false) {
    this.#directory = directory;
    if (!isThere) mkdirSync(directory);
  }

  /** Writing 0 to this file moves whoever writes. */
  get entrance(): string {
    return join(this.#directory, "cgroup.procs");
  }

  /** Sets limits that all programs in it have together. */
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

  /** The numbers of all processes in it. */
  members(): ReadonlySet<number> {
    const numbers = this.#groups().flatMap((group) => this.#read(join(group, "cgroup.procs")));
    return new Set(numbers.map(Number));
  }

  /** Whether the kernel had to kill something in it for want of memory. */
  get hasKilledForMemory(): boolean {
    return this.#read("memory.events").some((line) => /^oom_kill [1-9]/.test(line));
  }

  /** Whether its programs were killed from here. */
  get wasKilled(): boolean {
    return this.#wasKilled;
  }

  /** Kills everything in it at once, also what is being started at this moment. */
  kill(): void {
    this.#wasKilled = true;
    if (this.#writeIfThere("cgroup.kill", "1")) return;
    // Kernels before 5.14 have no such file. What is frozen starts nothing more, and can be killed one by one.
    this.#writeIfThere("cgroup.freeze", "1");
    for (const pid of this.members()) killProcess(pid);
  }

  /** Kills what is left and removes it; tells whether it is gone, and so everything that was ever started in it. */
  async remove(): Promise<boolean> {
    const until = performance.now() + MAX_REMOVE_MS;
    for (;;) {
      this.kill();
      if (this.#removeGroups()) return true;
      if (performance.now() > until) {
        // What cannot be killed is not left frozen, either.
        this.#writeIfThere("cgroup.freeze", "0");
        return false;
      }
      await wait(LOOK_AGAIN_MS);
    }
  }

  /** The kernel removes none that has a process in it. */
  #removeGroups(): boolean {
    try {
      for (const group of this.#groups().toReversed()) rmdirSync(join(this.#directory, group));
      return true;
    } catch (error) {
      return hasCode(error, "ENOENT");
    }
  }

  /** Itself and the parts that programs have made, from the outside in. */
  #groups(): readonly string[] {
    try {
      const found = readdirSync(this.#directory, { recursive: true, withFileTypes: true });
      const parts = found
        .filter((one) => one.isDirectory())
        .map((one) => join(one.parentPath, one.name).slice(this.#directory.length + 1));
      return ["", ...parts.toSorted((one, other) => one.length - other.length)];
    } catch {
      return [""]; // It is gone, or a part of it just now.
    }
  }

  #read(name: string): readonly string[] {
    try {
      return readFileSync(join(this.#directory, name), "latin1").split("\n").filter(Boolean);
    } catch {
      return []; // It is gone, or the kernel has no such file.
    }
  }

  #write(name: string, text: string): void {
    writeFileSync(join(this.#directory, name), text, { flag: "w" });
  }

  /** Tells whether the kernel has the file and took what was written. */
  #writeIfThere(name: string, text: string): boolean {
    try {
      // Some of these files may only be written, also by their owner.
      const fd = openSync(join(this.#directory, name), constants.O_WRONLY);
      try {
        writeSync(fd, text);
        return true;
      } finally {
        closeSync(fd);
      }
    } catch (error) {
      if (!hasCode(error, "ENOENT", "EACCES", "ENODEV", "EOPNOTSUPP")) throw error;
      return false;
    }
  }
}

function killProcess(pid: number): void {
  // A process of another namespace has the number 0 here, which would be a name for all of our own.
  if (pid <= 1 || pid === process.pid) return;
  try {
    process.kill(pid, "SIGKILL");
  } catch (error) {
    if (!hasCode(error, "ESRCH", "EPERM")) throw error;
  }
}
