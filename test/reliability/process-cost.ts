// What a process costs the machine, by the kernel's own account: other work on the machine does not change it.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** How finely the kernel counts the time of a processor. */
const TICKS_PER_SECOND = Number(execFileSync("getconf", ["CLK_TCK"], { encoding: "utf8" }));

/** What some processes cost together. */
export interface Cost {
  /** Pages that they have, those that they share counted for each. */
  readonly residentBytes: number;
  /** The same with each shared page counted once, in shares. */
  readonly proportionalBytes: number;
  /** Time of processors since their beginning. */
  readonly processorMs: number;
  readonly threads: number;
  readonly descriptors: number;
}

/** What these processes cost together now. */
export function costOf(pids: readonly number[]): Cost {
  const costs = pids.map(costOfOne);
  const sum = (of: (cost: Cost) => number): number =>
    costs.reduce((total, cost) => total + of(cost), 0);
  return {
    residentBytes: sum(({ residentBytes }) => residentBytes),
    proportionalBytes: sum(({ proportionalBytes }) => proportionalBytes),
    processorMs: sum(({ processorMs }) => processorMs),
    threads: sum(({ threads }) => threads),
    descriptors: sum(({ descriptors }) => descriptors),
  };
}

function costOfOne(pid: number): Cost {
  const pages = readFileSync(`/proc/${pid}/smaps_rollup`, "latin1");
  const status = readFileSync(`/proc/${pid}/status`, "latin1");
  const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
  // The name is in parentheses and may contain anything; the time as user and in the kernel are fields 14 and 15.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const ticks = Number(fields[11]) + Number(fields[12]);
  return {
    residentBytes: kilobytes(pages, "Rss") * 1024,
    proportionalBytes: kilobytes(pages, "Pss") * 1024,
    processorMs: (ticks * 1000) / TICKS_PER_SECOND,
    threads: Number(/^Threads:\s+(\d+)$/m.exec(status)?.[1]),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  };
}

const kilobytes = (text: string, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, "m").exec(text)?.[1]);

/** Bytes as people read them. */
export const megabytes = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(0)} MB`;
