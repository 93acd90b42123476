import { setTimeout as sleep } from "node:timers/promises";

/** What has not come by now will not. */
const MAX_MS = 60_000;

const LOOK_MS = 5;

/** Looks again and again until something is so; throws with its name when it never is. */
export async function until(name: string, isTrue: () => boolean): Promise<void> {
  const endMs = performance.now() + MAX_MS;
  while (!isTrue()) {
    if (performance.now() > endMs) throw new Error(`in vain: ${name}`);
    await sleep(LOOK_MS);
  }
}
