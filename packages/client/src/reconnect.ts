import { NacreError } from "@nacre/contracts";

/** Time and chance, so that tests decide about both. */
export interface Clock {
  /** Calls back once after a time, unless cancelled by what it returns. */
  after(delayMs: number, callback: () => void): () => void;
  /** A number from 0 up to but not including 1. */
  random(): number;
}

/** The time and the chance of this machine. */
export const machineClock: Clock = {
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs);
    return () => clearTimeout(timer);
  },
  random: Math.random,
};

/** A host that restarts is back in less than a second; coming sooner would only find it gone. */
const FIRST_DELAY_MS = 250;

/** A person who looks at a page does not want to wait longer once the host is back. */
const MAX_DELAY_MS = 10_000;

/** How long to wait before coming back: twice as long each time, with chance, so that not all clients come at once. */
export function backoffMs(attempt: number, chance: number): number {
  const longest = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(attempt, 16));
  return Math.round(longest * (0.5 + chance / 2));
}

/** Resolves after a time, or at once when the signal aborts. */
export function waitFor(clock: Clock, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = (): void => {
      cancel();
      signal.removeEventListener("abort", finish);
      resolve();
    };
    const cancel = clock.after(delayMs, finish);
    signal.addEventListener("abort", finish);
  });
}

/** Whether coming back later can help: the host is away or busy, or the connection broke. */
export function isTemporary(error: unknown): boolean {
  if (!(error instanceof NacreError)) return error instanceof ConnectionLost;
  return ["unavailable", "limit_reached", "timeout", "internal"].includes(error.code);
}

/** A connection ended before what it carried had ended. */
export class ConnectionLost extends Error {
  override readonly name = "ConnectionLost";
}
