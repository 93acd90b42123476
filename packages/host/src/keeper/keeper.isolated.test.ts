import { randomBytes } from "node:crypto";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { expect, test } from "vitest";
import {
  ascii,
  DEAF_LAUNCH,
  ECHO_LAUNCH,
  RAW,
  PtyReader,
  runToEnd,
  Scratch,
  scriptLaunch,
  spawnReady,
} from "../pty/contract/pty-fixtures.ts";
import { readProcess } from "../pty/process-table.ts";
import { isAlive } from "../pty/process-tree.ts";
import type { Pty, PtyLaunch } from "../pty/pty.ts";
import { RING_BYTES } from "./output-ring.ts";
import { startKeeper } from "./start-keeper.ts";
import { TestKeeper } from "./testing/test-keeper.ts";

/** What the queue of a driver, the window and the kernel hold beside the ring. */
const SLACK_BYTES = 1024 * 1024;
const FLOOD_BYTES = 3 * RING_BYTES;

/** A program that writes a file of random bytes to its terminal. */
function floodLaunch(scratch: Scratch): PtyLaunch {
  writeFileSync(scratch.file("written"), randomBytes(FLOOD_BYTES));
  return scriptLaunch(`${RAW}; exec cat < "$1"`, scratch.file("written"));
}

/** Resolves with how much a flood wrote when it is held back: it sleeps in its write, and goes on sleeping. */
async function heldBack(pid: number): Promise<number> {
  const positionOf = (): number =>
    Number(/pos:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/fdinfo/0`, "latin1"))?.[1]);
  for (let asleep = 0; asleep < 500; await new Promise(setImmediate)) {
    const isAsleep = readProcess(pid)?.state === "S" && positionOf() > RING_BYTES - SLACK_BYTES;
    asleep = isAsleep ? asleep + 1 : 0;
  }
  return positionOf();
}

async function readAll(
  pty: Pty,
  reader = new PtyReader(pty),
  isRecording = () => true,
): Promise<PtyReader> {
  while (await reader.next()) if (isRecording()) pty.acknowledge?.(reader.bytes);
  return reader;
}

test("without a daemon a program goes on until its ring is full, then waits, and loses nothing", async () => {
  await using keeper = await TestKeeper.start();
  using scratch = new Scratch();
  const first = await keeper.openDriver();
  const flood = await first.driver.spawn(floodLaunch(scratch));
  const { pty: echo } = await spawnReady(first.driver, ECHO_LAUNCH);
  first.link[Symbol.dispose]();
  await first.link.closed;
  const written = await heldBack(flood.leader.pid);
  expect(Math.abs(written - RING_BYTES)).toBeLessThan(SLACK_BYTES);

  const { link, driver } = await keeper.openDriver();
  using _ = link;
  const listed = await driver.list();
  expect(listed.map(({ id, leader }) => ({ id, leader }))).toEqual(
    [flood, echo].map(({ id, leader }) => ({ id, leader })),
  );
  // While one is full and unread, the others are served.
  const adopted = await driver.adopt(echo.id, 0);
  await adopted.write(ascii("still served"));
  await new PtyReader(adopted).until("still served");
  const reader = await readAll(await driver.adopt(flood.id, 0));
  expect(reader.bytes).toBe(FLOOD_BYTES);
  expect(reader.digest()).toBe(scratch.digest("written"));
});

test("a reader that records nothing is held back at the bound of the ring, and goes on when it does", async () => {
  await using keeper = await TestKeeper.start();
  using scratch = new Scratch();
  const { link, driver } = await keeper.openDriver();
  using _ = link;
  await using pty = await driver.spawn(floodLaunch(scratch));
  const reader = new PtyReader(pty);
  let isRecording = false;
  const reading = readAll(pty, reader, () => isRecording);
  expect(await heldBack(pty.leader.pid)).toBeLessThan(RING_BYTES + SLACK_BYTES);
  isRecording = true;
  pty.acknowledge?.(reader.bytes);
  await reading;
  expect(reader.digest()).toBe(scratch.digest("written"));
});

test("what was read and not recorded can be had again, all of it", async () => {
  await using keeper = await TestKeeper.start();
  using scratch = new Scratch();
  const first = await keeper.openDriver();
  const pty = await first.driver.spawn(floodLaunch(scratch));
  const reader = new PtyReader(pty);
  while (reader.bytes < RING_BYTES / 4) await reader.next();
  first.link[Symbol.dispose]();
  await first.link.closed;
  const { link, driver } = await keeper.openDriver();
  using _ = link;
  const again = await readAll(await driver.adopt(pty.id, 0));
  expect(again.digest()).toBe(scratch.digest("written"));
});

test("what was acknowledged cannot be had again, and what was not written cannot be had at all", async () => {
  await using keeper = await TestKeeper.start();
  const first = await keeper.openDriver();
  const { pty, reader } = await spawnReady(first.driver, ECHO_LAUNCH);
  pty.acknowledge?.(3);
  first.link[Symbol.dispose]();
  await first.link.closed;
  const { link, driver } = await keeper.openDriver();
  using _ = link;
  expect((await driver.list()).map(({ firstOffset }) => firstOffset)).toEqual([3]);
  for (const offset of [2, reader.bytes + 1, -1, 0.5]) {
    await expect(driver.adopt(pty.id, offset)).rejects.toMatchObject({ code: "invalid_argument" });
  }
  const adopted = await driver.adopt(pty.id, 3);
  expect(await adopted.read()).toEqual({ offset: 3, bytes: new Uint8Array(ascii("dy")) });
  await expect(driver.adopt(pty.id, 3)).rejects.toMatchObject({ code: "conflict" });
  expect(await driver.list()).toEqual([]);
});

test("a second daemon takes over, and the first can do nothing any more", async () => {
  await using keeper = await TestKeeper.start();
  const first = await keeper.openDriver();
  const { pty } = await spawnReady(first.driver, ECHO_LAUNCH);
  const lost = { code: "conflict", message: "another daemon has taken over the keeper" };
  const reading = pty.read().catch((error: unknown) => error);
  const second = await keeper.openDriver();
  using _ = second.link;
  expect(await first.link.closed).toMatchObject(lost);
  expect(await reading).toMatchObject(lost);
  await expect(pty.exited).rejects.toMatchObject(lost);
  await expect(pty.write(ascii("x"))).rejects.toMatchObject(lost);
  await expect(pty.kill(0)).rejects.toMatchObject(lost);
  await pty[Symbol.asyncDispose]();
  const adopted = await second.driver.adopt(pty.id, "ready".length);
  await adopted.write(ascii("mine now"));
  expect((await adopted.read())?.offset).toBe("ready".length);
});

test("the end of a program is kept until it is forgotten, with what it wrote", async () => {
  await using keeper = await TestKeeper.start();
  const first = await keeper.openDriver();
  const pty = await first.driver.spawn(scriptLaunch("printf 'last words'; exit 7"));
  await pty.exited;
  first.link[Symbol.dispose]();
  await first.link.closed;
  const exit = { exitCode: 7, outputBytes: 10, drained: true };
  const adoptAgain = async () => {
    const { link, driver } = await keeper.openDriver();
    expect(await driver.list()).toMatchObject([{ id: pty.id, firstOffset: 0, exit }]);
    const adopted = await driver.adopt(pty.id, 0);
    expect(await new PtyReader(adopted).toEnd()).toBe("last words");
    expect(await adopted.exited).toEqual(exit);
    return { link, driver, adopted };
  };
  const second = await adoptAgain();
  second.link[Symbol.dispose]();
  await second.link.closed;
  const { link, driver, adopted } = await adoptAgain();
  using _ = link;
  await adopted[Symbol.asyncDispose]();
  expect(await driver.list()).toEqual([]);
  await expect(driver.adopt(pty.id, 0)).rejects.toMatchObject({ code: "terminal_not_found" });
});

test("a keeper that is killed takes its programs along, and whoever waits is told", async () => {
  await using keeper = await TestKeeper.start();
  const { link, driver } = await keeper.openDriver();
  const { pty } = await spawnReady(driver, ECHO_LAUNCH);
  const reading = pty.read().catch((error: unknown) => error);
  process.kill(keeper.pid, "SIGKILL");
  expect(await reading).toMatchObject({ code: "unavailable" });
  await expect(pty.exited).rejects.toMatchObject({ code: "unavailable" });
  await expect(driver.spawn(ECHO_LAUNCH)).rejects.toMatchObject({ code: "unavailable" });
  expect((await link.closed).code).toBe("unavailable");
  await expect(keeper.connect()).rejects.toMatchObject({ code: "unavailable" });
  // The terminal is hung up, as when a window closes.
  while (isAlive(pty.leader)) await new Promise(setImmediate);
  await keeper.ended();
});

test("a keeper that is asked to stop ends its programs, answers, and is gone with its socket", async () => {
  await using keeper = await TestKeeper.start();
  const { link, driver } = await keeper.openDriver();
  const { pty } = await spawnReady(driver, DEAF_LAUNCH);
  const report = await link.request({ call: "stop", graceMs: 1000 }, (answer) => answer);
  expect(report).toEqual({ ended: 1, survivors: [] });
  expect((await pty.exited).signal).toBe("SIGTERM");
  await keeper.ended();
  expect(statSync(keeper.socketPath, { throwIfNoEntry: false })).toBeUndefined();
  expect(readFileSync(keeper.logPath, "utf8")).toBe("");
});

test("a keeper that keeps nothing ends with its last daemon", async () => {
  await using keeper = await TestKeeper.start();
  const { link, driver } = await keeper.openDriver();
  await runToEnd(driver, scriptLaunch("printf done"));
  expect(keeper.isAlive).toBe(true);
  link[Symbol.dispose]();
  await keeper.ended();
  expect(statSync(keeper.socketPath, { throwIfNoEntry: false })).toBeUndefined();
});

test("a new keeper replaces the socket that a killed one left", async () => {
  await using keeper = await TestKeeper.start();
  process.kill(keeper.pid, "SIGKILL");
  await keeper.ended();
  const { socketPath, logPath } = keeper;
  const pid = await startKeeper({ socketPath, logPath, version: "2" });
  expect(pid).not.toBe(keeper.pid);
  const { link, driver } = await keeper.openDriver();
  expect((await runToEnd(driver, scriptLaunch("printf again"))).text).toBe("again");
  await link.request({ call: "stop", graceMs: 0 }, (answer) => answer);
  while (readProcess(pid)?.isDead === false) await new Promise(setImmediate);
});

test.skipIf(!existsSync("/proc/self/autogroup") || process.getuid?.() !== 0)(
  "while somebody types the keeper is preferred, and its programs are not",
  async () => {
    await using keeper = await TestKeeper.start();
    const { link, driver } = await keeper.openDriver();
    using _ = link;
    const niceOf = (pid: number): string | undefined =>
      readFileSync(`/proc/${pid}/autogroup`, "utf8").trim().split(" ").at(-1);
    const { pty, reader } = await spawnReady(driver, ECHO_LAUNCH);
    expect(niceOf(keeper.pid)).toBe("0");
    await pty.write(ascii("typed"));
    await reader.until("typed");
    expect([niceOf(keeper.pid), niceOf(pty.leader.pid)]).toEqual(["-5", "0"]);
  },
);
