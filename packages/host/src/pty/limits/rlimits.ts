/** Limits that the kernel keeps for each process, and how a program is started with them. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { pickLimits, type ProgramLimits } from "./program-limits.ts";

/** It belongs to the same package as setsid, and becomes the program. */
export const PRLIMIT = ["/usr/bin", "/bin"]
  .map((directory) => `${directory}/prlimit`)
  .find((path) => existsSync(path));

/** Counting all processes of a user takes milliseconds where there are many; they are not counted more often than this. */
const COUNT_AGAIN_MS = 1000;

/** The names of what this process may have at most, in the words of the kernel. */
const KERNEL_NAMES = {
  maxProcesses: "Max processes",
  maxMemoryBytes: "Max data size",
  maxCpuSeconds: "Max cpu time",
  maxOpenFiles: "Max open files",
} as const;

type RlimitName = keyof typeof KERNEL_NAMES;

let counted: { readonly at: number; readonly tasks: number } | undefined;

/** Whether the kernel counts processes of this user: it never refuses one to root. */
export const countsProcesses = (): boolean => process.getuid?.() !== 0;

/** What can be kept for each process, no higher than what this process itself may have. */
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

/** The words before a program that give it these limits; none where there are none. */
export function rlimitWords(limits: ProgramLimits): readonly string[] {
  const { maxProcesses, maxMemoryBytes, maxCpuSeconds, maxOpenFiles } = limits;
  const flags = [
    ...(maxProcesses === undefined ? [] : [`--nproc=${withTasks(maxProcesses)}`]),
    // Unlike the whole address space, this leaves out what runtimes only reserve.
    ...(maxMemoryBytes === undefined ? [] : [`--data=${maxMemoryBytes}`]),
    // The signal of the lower bound says what happened; the higher one ends what does not listen.
    ...(maxCpuSeconds === undefined ? [] : [`--cpu=${maxCpuSeconds}:${maxCpuSeconds + 1}`]),
    ...(maxOpenFiles === undefined ? [] : [`--nofile=${maxOpenFiles}`]),
  ];
  return PRLIMIT === undefined || flags.length === 0 ? [] : [PRLIMIT, ...flags];
}

/** The kernel counts all processes of the user, so what is there already comes on top, but never above what this process may have. */
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
    // One second more has to be allowed for the end of what does not listen.
    maxCpuSeconds: read(KERNEL_NAMES.maxCpuSeconds) - 1,
    maxOpenFiles: read(KERNEL_NAMES.maxOpenFiles),
  };
}

/** How many processes and threads this user has, as of a moment ago. */
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
