import { setTimeout as delay } from "node:timers/promises";
import { NacreError } from "@nacre/contracts";
import { type Discovery, isStillRunning } from "./discovery.ts";
import { KEEPING_SIGNAL } from "./shutdown.ts";

/** A daemon ends in a few seconds, or ends itself; on a very busy machine both take longer. */
const MAX_WAIT_MS = 30_000;

/** No event tells that a process which is not a child has ended. */
const LOOK_MS = 20;

/** Asks a daemon to end, with or without its programs, and resolves when it is gone; a process that only has its number is left alone. */
export async function stopDaemon(
  daemon: Pick<Discovery, "pid" | "startTime">,
  { keepsPrograms = false }: { readonly keepsPrograms?: boolean } = {},
): Promise<void> {
  const { pid } = daemon;
  if (!isStillRunning(daemon)) return;
  process.kill(pid, keepsPrograms ? KEEPING_SIGNAL : "SIGTERM");
  const deadline = performance.now() + MAX_WAIT_MS;
  while (isStillRunning(daemon)) {
    if (performance.now() > deadline) {
      throw new NacreError("timeout", `the daemon with pid ${pid} has not ended after 30 s`, {
        suggestion: `Look at its log; \`kill -9 ${pid}\` ends it, and recordings stay readable.`,
      });
    }
    await delay(LOOK_MS);
  }
}
