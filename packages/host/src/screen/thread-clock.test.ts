import { once } from "node:events";
import { readlinkSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { createThreadClock } from "./screen-worker.ts";

/** Keeps a processor busy until a clock says so, or gives up. */
function workUntil(isEnough: () => boolean): void {
  const end = performance.now() + 10_000;
  while (!isEnough() && performance.now() < end);
}

test.runIf(process.platform === "linux")("the work of a thread is measured, not the time", () => {
  const clock = createThreadClock(Number(readlinkSync("/proc/thread-self").split("/").at(-1)));
  const before = clock.now();
  workUntil(() => clock.now() - before > 20);
  const worked = clock.now() - before;
  expect(worked).toBeGreaterThan(10);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  expect(clock.now() - before - worked).toBeLessThan(40);
  expect(clock.factor).toBe(1);
});

test("a thread that cannot be measured gets more time by the clock", () => {
  for (const unknown of [undefined, 2 ** 30]) expect(createThreadClock(unknown).factor).toBe(10);
});

test.runIf(process.platform === "linux")(
  "a thread that works is only held up, one that waits for another is not",
  async () => {
    const own = Number(readlinkSync("/proc/thread-self").split("/").at(-1));
    expect(createThreadClock(own).isWaitingForCpuOrDisk()).toBe(true);
    const source = `
      const { readlinkSync } = require("node:fs");
      const { parentPort } = require("node:worker_threads");
      parentPort.postMessage(Number(readlinkSync("/proc/thread-self").split("/").at(-1)));
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);`;
    const worker = new Worker(source, { eval: true });
    const [waiting] = (await once(worker, "message")) as [number];
    await expect.poll(() => createThreadClock(waiting).isWaitingForCpuOrDisk()).toBe(false);
    await worker.terminate();
  },
);
