import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { ECHO_LAUNCH, spawnReady } from "../pty/contract/pty-fixtures.ts";
import { BuiltKeeper } from "./testing/built-keeper.ts";
import { TestKeeper } from "./testing/test-keeper.ts";

const IDLE_PTYS = 200;
const MAX_EMPTY_MB = 60;
const MAX_IDLE_KB = 100;

/** What a process has in memory. Some 42 MB are pages of Node's own file, which all processes of the same Node share. */
function residentKb(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "latin1"))?.[1]);
}

test("a keeper stays small, with many terminals and none", { timeout: 120_000 }, async () => {
  using built = new BuiltKeeper();
  await using keeper = await TestKeeper.start(built.main);
  const { link, driver } = await keeper.openDriver();
  using _ = link;
  const emptyKb = residentKb(keeper.pid);
  for (let count = 0; count < IDLE_PTYS; count++) {
    const { pty, reader } = await spawnReady(driver, ECHO_LAUNCH);
    pty.acknowledge?.(reader.bytes);
  }
  expect(emptyKb).toBeLessThan(MAX_EMPTY_MB * 1024);
  expect((residentKb(keeper.pid) - emptyKb) / IDLE_PTYS).toBeLessThan(MAX_IDLE_KB);
});

test("a keeper loads no package but the one that calls the kernel", () => {
  using built = new BuiltKeeper();
  expect([...built.packages]).toEqual(["koffi"]);
});
