import { readFileSync } from "node:fs";

/** Where work cannot be measured, a thread gets this many times as long by the clock: others may keep it waiting. */
const CLOCK_FACTOR = 10;

/** How long a thread has worked. */
export interface ThreadClock {
  /** Milliseconds of work, or of time where work cannot be measured. */
  now(): number;
  /** How much of them stands for a millisecond of work. */
  readonly factor: number;
}

/** The clock of a thread of this process by the kernel's number of it. */
export function threadClock(threadId: number | undefined): ThreadClock {
  const file = `/proc/self/task/${threadId}/schedstat`;
  if (threadId === undefined || readWork(file) === undefined) {
    return { now: () => performance.now(), factor: CLOCK_FACTOR };
  }
  return { now: () => readWork(file) ?? 0, factor: 1 };
}

/** Time on a processor; the first number of the file, in nanoseconds. */
function readWork(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, "latin1"), 10) / 1e6;
  } catch {
    // The thread is gone, or this kernel does not tell.
    return undefined;
  }
}
