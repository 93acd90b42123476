import { spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { readProcess } from "./process-table.ts";
import { ProcessWatch } from "./process-tree.ts";

const startTicksOf = (pid: number): number => readProcess(pid)?.startTicks ?? Number.NaN;

test.runIf(process.platform === "linux")("a process is there until it ends", async () => {
  const child = spawn("sleep", ["1000"]);
  const pid = child.pid ?? 0;
  using watch = new ProcessWatch({ pid, startTicks: startTicksOf(pid) });
  expect([watch.isAlive, watch.isAlive]).toEqual([true, true]);
  child.kill("SIGKILL");
  await once(child, "exit");
  expect(watch.isAlive).toBe(false);
  watch[Symbol.dispose]();
  expect(watch.isAlive).toBe(false);
});

test.runIf(process.platform === "linux")(
  "another process of the same number is not it, and nothing is left open",
  () => {
    const count = (): number => readdirSync("/proc/self/fd").length;
    const before = count();
    const { pid } = process;
    using stranger = new ProcessWatch({ pid, startTicks: startTicksOf(pid) - 1 });
    expect(stranger.isAlive).toBe(false);
    using own = new ProcessWatch({ pid, startTicks: startTicksOf(pid) });
    expect(own.isAlive).toBe(true);
    own[Symbol.dispose]();
    expect(count()).toBe(before);
  },
);
