// What the kernel's files say of one process; undefined wherever they are not there or not for us.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hasErrno } from "../base/errno.ts";

/** The text of a file, that it may not be read, or undefined when it or its process is not there. */
export type ProcFileText = { readonly text: string } | "denied" | undefined;

/** What `/proc/<pid>/stat` says. */
export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly group: number;
  /** The process group that has the terminal. */
  readonly foregroundGroup: number;
  /** Number of the controlling terminal among pseudo-terminals; undefined where it is another kind. */
  readonly terminalNumber: number | undefined;
  /** Changes whenever the process becomes another program, even the same one again; empty where it may not be seen. */
  readonly image: string;
}

/** The numbers that the kernel gives pseudo-terminals as devices. */
const FIRST_PTS_MAJOR = 136;
const LAST_PTS_MAJOR = 143;
const MINORS_PER_MAJOR = 256;

/** Reads a small file of the kernel at once; such files are made in memory and never wait for a disk. */
export function readProcFile(path: string): ProcFileText {
  try {
    return { text: readFileSync(path, "latin1") };
  } catch (cause) {
    // Processes end at any time, and other users' are none of our business: both are an answer.
    return isDenial(cause) ? "denied" : undefined;
  }
}

/** The words a process was started with; none where they are not for us. */
export function readCmdline(pid: number): readonly string[] {
  const file = readProcFile(`/proc/${pid}/cmdline`);
  return file === undefined || file === "denied" ? [] : file.text.split("\0").slice(0, -1);
}

/** True when somebody was refused, not when nothing was there. */
export const isDenial = (cause: unknown): boolean => hasErrno(cause, "EACCES", "EPERM");

/** The numbers that name entries of a directory; empty where it is not there. */
export function listNumericEntries(path: string): readonly number[] {
  try {
    return readdirSync(path).map(Number).filter(Number.isInteger);
  } catch {
    return []; // The process ended, or is another user's.
  }
}

/** What an open descriptor leads to. */
export function readDescriptor(pid: number, descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined; // Closed meanwhile, or not ours to see.
  }
}

/** The facts of one process, or undefined when there is none of this number. */
export function readStat(pid: number): ProcessStat | undefined {
  const file = readProcFile(`/proc/${pid}/stat`);
  if (file === undefined || file === "denied") return undefined;
  // The name is in parentheses and may itself contain any character, so the fields start after the last one.
  const nameEnd = file.text.lastIndexOf(")");
  const fields = file.text.slice(nameEnd + 2).split(" ");
  const [stack, argumentsStart] = [fields[25] ?? "0", fields[45] ?? "0"];
  return {
    pid,
    name: file.text.slice(file.text.indexOf("(") + 1, nameEnd),
    state: fields[0] ?? "",
    group: Number(fields[2]),
    foregroundGroup: Number(fields[5]),
    terminalNumber: toPtsNumber(Number(fields[4])),
    image: stack === "0" ? "" : `${stack}/${argumentsStart}`,
  };
}

function toPtsNumber(device: number): number | undefined {
  const major = (device >> 8) & 0xfff;
  if (major < FIRST_PTS_MAJOR || major > LAST_PTS_MAJOR) return undefined;
  const minor = (device & 0xff) | ((device >> 12) & 0xfff00);
  return (major - FIRST_PTS_MAJOR) * MINORS_PER_MAJOR + minor;
}
