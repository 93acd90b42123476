import { writeFileSync } from "node:fs";
import { readProcess } from "./process-table.ts";

/** The nice value of programs that give way: against another session that wants the same processor they get a third of it. */
const LOWERED_NICE = 5;
const MAX_NICE = 19;

/** What a step of the nice value makes of a share. */
const NICE_STEP = 1.25;

/** The nice value of a host while somebody types: three times the share of other sessions, but also of the kernel's own threads, which it waits for. */
const BOOSTED_NICE = -5;

/** Who pressed a key may well press another within this time. */
const TYPING_MS = 500;

/**
 * Lets Linux prefer other sessions to that of a process, which is one of so many that give way, or none for 0; tells
 * whether it does so now. It weighs sessions against each other, so ten programs in terminals of their own would count
 * ten times as much as the host that records them: together they get the share of one.
 */
export function lowerAutogroupPriority(pid: number, among: number): boolean {
  if (among === 0) return setNice(pid, 0);
  const nice = LOWERED_NICE + Math.round(Math.log(among) / Math.log(NICE_STEP));
  return setNice(pid, Math.min(nice, MAX_NICE));
}

/**
 * Lets Linux prefer this process with all its threads while somebody types, where that is allowed. Not always: a flood
 * that has to wait for us at every step writes in small pieces, which cost far more. And only in a session of its own,
 * because whatever else runs in a person's session would be preferred as well.
 */
export class InteractiveBoost implements Disposable {
  readonly #isLeader = readProcess(process.pid)?.session === process.pid;
  #typedAtMs = Number.NEGATIVE_INFINITY;
  #timer: NodeJS.Timeout | undefined;

  /** Somebody typed. */
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
      // What could not be set back to normal is tried again.
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
    // A kernel that weighs processes only has no such file, and it may be asked a few times a second at most.
    return false;
  }
}
