import { setTimeout as sleep } from "node:timers/promises";
import { NacreError } from "@nacre/contracts/error";

/** Most answers come at once. Only behind one that does not it is asked whether the daemon answers at all. */
const FIRST_LOOK_MS = 3000;

/** Waits of hours are fine, while there is somebody to end them. */
const LOOK_MS = 30_000;

/** Waits for an answer for as long as the daemon answers at all; one that hangs is not waited for. */
export async function whileReady<Answer>(
  socketPath: string,
  ask: (signal: AbortSignal) => Promise<Answer>,
): Promise<Answer> {
  const over = new AbortController();
  const hung = untilHung(socketPath, over.signal);
  // Whoever has an answer does not care.
  hung.catch(() => undefined);
  try {
    return await Promise.race([ask(over.signal), hung]);
  } finally {
    over.abort();
  }
}

async function untilHung(socketPath: string, signal: AbortSignal): Promise<never> {
  for (let waitMs = FIRST_LOOK_MS; ; waitMs = LOOK_MS) {
    await sleep(waitMs, undefined, { signal });
    const { probeDaemon } = await import("./is-ready.ts");
    // One that is ending breaks the connection by itself.
    if ((await probeDaemon(socketPath)) !== "hangs") continue;
    throw new NacreError("unavailable", "the daemon runs, but does not answer", {
      details: { hangs: true },
      suggestion: "`nacre status` tells its process; end that, and try again.",
    });
  }
}
