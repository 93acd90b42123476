import { writeFileSync } from "node:fs";
import { readProcess } from "./process-table.ts";

/** Lowered autogroup nice: a third of a CPU that another session wants, too. */
const LOWERED_NICE = 5;
const MAX_NICE = 19;

/** Weight factor of one nice step. */
const NICE_STEP = 1.25;

/**
 * Raised while somebody types: three times the share of other sessions, but also of kernel threads, which the host
 * waits for.
 */
const BOOSTED_NICE = -5;

/** Another key is likely within this time. */
const TYPING_MS = 500;

/**
 * Lowers the autogroup priority (`/proc/<pid>/autogroup`) of a session that is one of `among`, or restores it for 0;
 * tells whether it is lowered. The kernel weighs sessions against each other, so ten floods would weigh ten times as
 * much as the host that records them: together they get the share of one.
 */
export function lowerAutogroupPriority(pid: number, among: number): boolean {
  if (among === 0) return setNice(pid, 0);
  const nice = LOWERED_NICE + Math.round(Math.log(among) / Math.log(NICE_STEP));
  return setNice(pid, Math.min(nice, MAX_NICE));
}

/**
 * Raises this process's autogroup priority while somebody types, where permitted. Not always: a flood that waits for us
 * at every step writes in small pieces, which cost far more. And only in a session of its own, because everything else
 * in a user's session would be raised as well.
 */
export class InteractiveBoost implements Disposable {
  readonly #isLeader = readProcess(process.pid)?.session === process.pid;
  #typedAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  readonly noteTyping = (): void => {
    this.#typedAtMs = performance.now();
    if (this.#timer || !this.#isLeader || !setNice(process.pid, BOOSTED_NICE)) return;
    this.#awaitQuiet(TYPING_MS);
  };

  [Symbol.dispose](): void {
    if (!this.#timer) return;
    clearTimeout(this.#timer);
    setNice(process.pid, 0);
  }

  #awaitQuiet(ms: number): void {
    this.#timer = setTimeout(() => {
      const restMs = this.#typedAtMs + TYPING_MS - performance.now();
      // A failed reset is tried again.
      if (restMs > 0) this.#awaitQuiet(restMs);
      else if (setNice(process.pid, 0)) this.#timer = undefined;
      else this.#awaitQuiet(TYPING_MS);
    }, ms).unref();
  }
}

function setNice(pid: number, nice: number): boolean {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(nice));
    return true;
  } catch {
    // No autogroup file without CONFIG_SCHED_AUTOGROUP, and writes are rate-limited.
    return false;
  }
}
