import { readFileSync } from "node:fs";

/** Where work cannot be measured, a thread gets this many times as long by the clock: others may keep it waiting. */
const CLOCK_FACTOR = 10;

/** The kernel's letters for a thread that could run, and for one that waits for the disk. */
const RUNNABLE_STATES: ReadonlySet<string> = new Set(["R", "D"]);

/** How long a thread has worked. */
export interface ThreadClock {
  /** Milliseconds of work, or of time where work cannot be measured. */
  now(): number;
  /** How much of them stands for a millisecond of work. */
  readonly factor: number;
  /** Whether it only waits for a processor or the disk, and would go on if it got them; false where nobody tells. */
  isWaitingForCpuOrDisk(): boolean;
}

/** The clock of a thread of this process by the kernel's number of it. */
export function createThreadClock(threadId: number | undefined): ThreadClock {
  const file = `/proc/self/task/${threadId}/schedstat`;
  if (threadId === undefined || readCpuMs(file) === undefined) {
    return {
      now: () => performance.now(),
      factor: CLOCK_FACTOR,
      isWaitingForCpuOrDisk: () => false,
    };
  }
  const isHeldUp = (): boolean =>
    RUNNABLE_STATES.has(readThreadState(`/proc/self/task/${threadId}/stat`));
  return { now: () => readCpuMs(file) ?? 0, factor: 1, isWaitingForCpuOrDisk: isHeldUp };
}

/** Time on a processor; the first number of the file, in nanoseconds. */
function readCpuMs(file: string): number | undefined {
  try {
    return Number.parseInt(readFileSync(file, "latin1"), 10) / 1e6;
  } catch {
    // The thread is gone, or this kernel does not tell.
    return undefined;
  }
}

/** The letter behind the name, which is in parentheses and may contain anything. */
function readThreadState(file: string): string {
  try {
    const text = readFileSync(file, "latin1");
    return text.charAt(text.lastIndexOf(")") + 2);
  } catch {
    return ""; // The thread is gone.
  }
}
