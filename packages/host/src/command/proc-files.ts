// Facts about one process from /proc; undefined where they are missing or denied.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { hasErrno } from "../base/errno.ts";

/** Undefined: the file or its process does not exist. */
export type ProcFileText = { readonly text: string } | "denied" | undefined;

/** `/proc/<pid>/stat`. */
export interface ProcessStat {
  readonly pid: number;
  readonly name: string;
  readonly state: string;
  readonly group: number;
  /** tpgid. */
  readonly foregroundGroup: number;
  /** Number of the controlling PTY; undefined where that is another kind of TTY. */
  readonly terminalNumber: number | undefined;
  /** Changes with every exec, even of the same program; empty where it is unreadable. */
  readonly image: string;
}

/** Major device numbers of PTYs (UNIX98_PTY_SLAVE_MAJOR). */
const FIRST_PTS_MAJOR = 136;
const LAST_PTS_MAJOR = 143;
const MINORS_PER_MAJOR = 256;

/** Synchronous: procfs files are made in memory and never wait for a disk. */
export function readProcFile(path: string): ProcFileText {
  try {
    return { text: readFileSync(path, "latin1") };
  } catch (cause) {
    // Processes end at any time, and those of other users are denied: both are results.
    return isDenial(cause) ? "denied" : undefined;
  }
}

/** Empty where unreadable. */
export function readCmdline(pid: number): readonly string[] {
  const file = readProcFile(`/proc/${pid}/cmdline`);
  return file === undefined || file === "denied" ? [] : file.text.split("\0").slice(0, -1);
}

/** Refused, not missing. */
export const isDenial = (cause: unknown): boolean => hasErrno(cause, "EACCES", "EPERM");

/** Empty where the directory does not exist. */
export function listNumericEntries(path: string): readonly number[] {
  try {
    return readdirSync(path).map(Number).filter(Number.isInteger);
  } catch {
    return []; // The process ended, or is another user's.
  }
}

export function readDescriptor(pid: number, descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/${pid}/fd/${descriptor}`);
  } catch {
    return undefined; // Closed meanwhile, or not ours to see.
  }
}

/** Undefined when the process does not exist. */
export function readStat(pid: number): ProcessStat | undefined {
  const file = readProcFile(`/proc/${pid}/stat`);
  if (file === undefined || file === "denied") return undefined;
  // The name in parentheses may contain any character, so fields start after the last `)`.
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
