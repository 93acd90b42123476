import { readFileSync } from "node:fs";

/** Whether a process runs; a zombie, which only waits for its parent, does not. */
export function isAlive(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false; // There is no such process.
  }
}
