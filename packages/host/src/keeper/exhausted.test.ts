import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { ascii, ECHO_LAUNCH, spawnReady } from "../pty/contract/pty-fixtures.ts";
import { readProcess } from "../pty/process-table.ts";
import type { Pty } from "../pty/pty.ts";
import { requireProgram } from "../testing/require-program.ts";
import { createKeeperDriver } from "./keeper-pty.ts";
import { TestKeeper } from "./testing/test-keeper.ts";

const EXHAUSTED = { code: "resource_exhausted" };

/** More than a few terminals need, fewer than many do. */
const FEW_DESCRIPTORS = 40;
const MANY = 40;

const openDescriptors = (pid: number): number => readdirSync(`/proc/${pid}/fd`).length;

const childrenOf = (pid: number): number =>
  readdirSync("/proc")
    .map(Number)
    .filter((one) => Number.isInteger(one) && readProcess(one)?.parent === pid).length;

test("a keeper without descriptors refuses new programs, harms no other, and starts them again later", async (context) => {
  requireProgram(context, "prlimit");
  await using keeper = await TestKeeper.start();
  const { link, driver } = await keeper.openDriver();
  using _ = link;
  const { pty: echo, reader } = await spawnReady(driver, ECHO_LAUNCH);
  const max = openDescriptors(keeper.pid) + FEW_DESCRIPTORS;
  execFileSync("prlimit", ["--pid", String(keeper.pid), `--nofile=${max}`]);

  const started: Pty[] = [];
  const refused = async (): Promise<unknown> => {
    for (let count = 0; count < MANY; count++) started.push(await driver.spawn(ECHO_LAUNCH));
    return "never refused";
  };
  await expect(refused()).rejects.toMatchObject(EXHAUSTED);
  expect(started.length).toBeGreaterThan(1);

  // However often it is tried, nothing is left behind.
  const [descriptors, children] = [openDescriptors(keeper.pid), childrenOf(keeper.pid)];
  const pipes = createKeeperDriver(link, "pipes");
  for (let count = 0; count < MANY; count++) {
    const other = count % 2 === 0 ? driver : pipes;
    await expect(other.spawn(ECHO_LAUNCH)).rejects.toMatchObject(EXHAUSTED);
  }
  expect(openDescriptors(keeper.pid)).toBe(descriptors);
  expect(childrenOf(keeper.pid)).toBe(children);
  await echo.write(ascii("still here"));
  await reader.until("still here");

  // What is in the way can be ended, and then there is room.
  await started.pop()?.[Symbol.asyncDispose]();
  await started.pop()?.[Symbol.asyncDispose]();
  const { pty: next } = await spawnReady(driver, ECHO_LAUNCH);
  started.push(next);
  for (const pty of started) expect((await pty.kill(0)).survivors).toEqual([]);
});
