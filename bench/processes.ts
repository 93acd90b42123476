// What the kernel tells of the processes that are measured.
import { readdirSync, readFileSync } from "node:fs";

/** Clock ticks of a second in what the kernel tells of processes. */
const TICKS_PER_SECOND = 100;

/** What a process has worked since it started, with all its threads and without the programs that it started. */
export function cpuSeconds(pid: number): number {
  const fields = statOf(pid);
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** The processes that a process started and that still run. */
export function childrenOf(pid: number): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((other) => parentOf(other) === pid);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(statOf(pid)[1]);
  } catch {
    // Ended since the directory was read.
    return undefined;
  }
}

/** What stands behind the name, which may contain anything: the first is the third field. */
function statOf(pid: number): string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  return stat.slice(stat.lastIndexOf(")") + 2).split(" ");
}
