import { readlinkSync } from "node:fs";
import { setPriority } from "node:os";
import { parentPort, workerData } from "node:worker_threads";
import { ReplicaScheduler } from "./drawing-table.ts";
import type { EmulatorHooks } from "./emulator.ts";
import { WorkerHeartbeat } from "./pulse.ts";
import type { ScreenOrder, ScreenReport, ScreenWorkerData } from "./screen-wire.ts";

/** The nice value of the thread: a screen may be drawn a moment later, a key must not be recorded later. */
const SCREEN_PRIORITY = 10;

/** Makes this thread draw screens. */
export function serveScreens(hooks: Pick<EmulatorHooks, "prepare"> = {}): void {
  const port = parentPort;
  if (!port) throw new Error("screens are drawn in a thread of their own");
  // On Linux this is about the calling thread alone.
  if (process.platform === "linux") setPriority(SCREEN_PRIORITY);
  // Whoever starts the thread gives it this.
  const { heartbeat: pulse } = workerData as ScreenWorkerData;
  const report = (one: ScreenReport): void => port.postMessage(one);
  const table = new ReplicaScheduler({ heartbeat: new WorkerHeartbeat(pulse), report, ...hooks });
  port.on("message", (order: ScreenOrder) => table.enqueue(order));
  report({ kind: "ready", threadId: ownThreadId() });
}

/** The kernel's number of this thread, where it tells. */
function ownThreadId(): number | undefined {
  if (process.platform !== "linux") return undefined;
  try {
    return Number(readlinkSync("/proc/thread-self").split("/").at(-1));
  } catch {
    // Without it, time is measured by the clock.
    return undefined;
  }
}
