/** Per-process limits (rlimits), and how a program is started with them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { pickLimits, type ProgramLimits } from "./program-limits.ts";

/** Part of util-linux, like setsid; execs the program. */
export const PRLIMIT = ["/usr/bin", "/bin"]
  .map((directory) => `${directory}/prlimit`)
  .find((path) => existsSync(path));

/** Counting a user's processes takes milliseconds where there are many; the count is cached this long. */
const COUNT_AGAIN_MS = 1000;

/** Names in `/proc/self/limits`. */
const KERNEL_NAMES = {
  maxProcesses: "Max processes",
  maxMemoryBytes: "Max data size",
  maxCpuSeconds: "Max cpu time",
  maxOpenFiles: "Max open files",
} as const;

type RlimitName = keyof typeof KERNEL_NAMES;

let counted: { readonly at: number; readonly tasks: number } | undefined;

/** The kernel never refuses a process to root. */
export const countsProcesses = (): boolean => process.getuid?.() !== 0;

/** Capped by this process's own hard limits. */
export function rlimitsFor(wanted: ProgramLimits): ProgramLimits {
  if (PRLIMIT === undefined) return {};
  const hard = readHardLimits();
  const least = (name: RlimitName): number | undefined => {
    const value = wanted[name];
    return value === undefined ? undefined : Math.min(value, hard[name]);
  };
  return pickLimits({
    maxProcesses: countsProcesses() ? least("maxProcesses") : undefined,
    maxMemoryBytes: least("maxMemoryBytes"),
    maxCpuSeconds: least("maxCpuSeconds"),
    maxOpenFiles: least("maxOpenFiles"),
  });
}

/** The `prlimit` command before a program; empty where there are no limits. */
export function rlimitWords(limits: ProgramLimits): readonly string[] {
  const { maxProcesses, maxMemoryBytes, maxCpuSeconds, maxOpenFiles } = limits;
  const flags = [
    ...(maxProcesses === undefined ? [] : [`--nproc=${withTasks(maxProcesses)}`]),
    // Unlike --as, --data leaves out what runtimes only reserve.
    ...(maxMemoryBytes === undefined ? [] : [`--data=${maxMemoryBytes}`]),
    // SIGXCPU at the soft limit says what happened; SIGKILL at the hard one ends what ignores it.
    ...(maxCpuSeconds === undefined ? [] : [`--cpu=${maxCpuSeconds}:${maxCpuSeconds + 1}`]),
    ...(maxOpenFiles === undefined ? [] : [`--nofile=${maxOpenFiles}`]),
  ];
  return PRLIMIT === undefined || flags.length === 0 ? [] : [PRLIMIT, ...flags];
}

/** RLIMIT_NPROC counts all processes of the user, so existing ones come on top, capped by our own limit. */
const withTasks = (maxProcesses: number): number =>
  Math.min(countTasks() + maxProcesses, readHardLimits().maxProcesses);

function readHardLimits(): Readonly<Record<RlimitName, number>> {
  const text = readFileSync("/proc/self/limits", "latin1");
  const read = (name: string): number => {
    const value = new RegExp(String.raw`^${name} +\S+ +(\S+)`, "m").exec(text)?.[1];
    return value === undefined || value === "unlimited" ? Infinity : Number(value);
  };
  return {
    maxProcesses: read(KERNEL_NAMES.maxProcesses),
    maxMemoryBytes: read(KERNEL_NAMES.maxMemoryBytes),
    // The hard limit is one second higher.
    maxCpuSeconds: read(KERNEL_NAMES.maxCpuSeconds) - 1,
    maxOpenFiles: read(KERNEL_NAMES.maxOpenFiles),
  };
}

/** Cached. */
function countTasks(): number {
  const now = performance.now();
  if (counted && now - counted.at < COUNT_AGAIN_MS) return counted.tasks;
  const user = `\nUid:\t${process.getuid?.()}\t`;
  let tasks = 0;
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue;
    const status = readStatus(name);
    if (status.includes(user)) tasks += Number(/^Threads:\t(\d+)/m.exec(status)?.[1] ?? 1);
  }
  counted = { at: now, tasks };
  return tasks;
}

function readStatus(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/status`, "latin1");
  } catch {
    return ""; // It ended meanwhile.
  }
}
