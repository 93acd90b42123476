import { readlinkSync } from "node:fs";
import { expect, test } from "vitest";
import { threadClock } from "./thread-clock.ts";

/** Keeps a processor busy. */
function work(ms: number): void {
  const end = process.cpuUsage().user + ms * 1000;
  while (process.cpuUsage().user < end);
}

test.runIf(process.platform === "linux")("the work of a thread is measured, not the time", () => {
  const clock = threadClock(Number(readlinkSync("/proc/thread-self").split("/").at(-1)));
  const before = clock.now();
  work(30);
  const worked = clock.now() - before;
  expect(worked).toBeGreaterThan(10);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 50);
  expect(clock.now() - before - worked).toBeLessThan(40);
  expect(clock.factor).toBe(1);
});

test("a thread that cannot be measured gets more time by the clock", () => {
  for (const unknown of [undefined, 2 ** 30]) expect(threadClock(unknown).factor).toBe(10);
});
