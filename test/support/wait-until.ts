import { setTimeout as sleep } from "node:timers/promises";

/** How often is looked. */
const POLL_MS = 5;

/** What has not come by now, on however busy a machine, will not. */
const TIMEOUT_MS = 60_000;

type Falsy = false | 0 | "" | undefined | null;

/** How long is waited, and for what. */
export interface WaitUntilOptions {
  /** Named when it never comes; the text of the condition when absent. */
  readonly what?: string;
  readonly timeoutMs?: number;
}

/**
 * Polls until a condition gives something truthy, and resolves with that. For what no event tells: files, `/proc`, the
 * state of another process. A condition that throws does not hold yet.
 */
export async function waitUntil<Value>(
  condition: () => Value | Falsy | Promise<Value | Falsy>,
  { what = String(condition), timeoutMs = TIMEOUT_MS }: WaitUntilOptions = {},
): Promise<Value> {
  const endMs = performance.now() + timeoutMs;
  for (;;) {
    let cause: unknown;
    try {
      const value = await condition();
      if (value) return value;
    } catch (error) {
      cause = error;
    }
    if (performance.now() > endMs) {
      throw new Error(`waited ${timeoutMs} ms in vain: ${what}`, { cause });
    }
    await sleep(POLL_MS);
  }
}
