import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { setGivingWay } from "./session-priority.ts";

const hasSessions = existsSync("/proc/self/autogroup");
const niceOf = (pid: number): string =>
  readFileSync(`/proc/${pid}/autogroup`, "utf8").trim().split(" ").at(-1) ?? "";

test.skipIf(!hasSessions)("a session gives way, and no longer does", async () => {
  const child = spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  const { pid = 0 } = child;
  try {
    expect(setGivingWay(pid, true)).toBe(true);
    expect(niceOf(pid)).toBe("19");
    expect(niceOf(process.pid)).toBe("0");
    await expect.poll(() => setGivingWay(pid, false)).toBe(true);
    expect(niceOf(pid)).toBe("0");
  } finally {
    child.kill();
    await once(child, "exit");
  }
});

test("a process that is gone cannot", () => {
  expect(setGivingWay(2 ** 30, true)).toBe(false);
});
