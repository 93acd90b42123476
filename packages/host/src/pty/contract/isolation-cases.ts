// Terminals do not reach each other, and a terminal leaves no descriptor, thread or process behind.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readdirSync } from "node:fs";
import type { Pty, PtyDriver } from "../pty.ts";
import {
  ascii,
  assertRefused,
  DEAF_LAUNCH,
  ECHO_LAUNCH,
  programLaunch,
  type PtyCase,
  Reader,
  runToEnd,
  Scratch,
} from "./tools.ts";

const LIST_DESCRIPTORS = programLaunch("/bin/ls", "-l", "/proc/self/fd");

/** Descriptors in a listing that a program should not have: all but the terminal and the listed directory itself. */
export function foreignDescriptors(listing: string): readonly string[] {
  return listing
    .split("\n")
    .map((line) => / (\d+) -> (.*?)\r?$/.exec(line))
    .filter((match) => match !== null)
    .filter(([, fd, target]) => !(Number(fd) < 3 && /^\/dev\/pts\/\d+$/.test(target ?? "")))
    .filter(([, , target]) => !/^\/proc\/\d+\/fd$/.test(target ?? ""))
    .map(([entry]) => entry.trim());
}

/** How many descriptors and threads this process has. */
export function countResources(): { descriptors: number; threads: number } {
  return {
    descriptors: readdirSync("/proc/self/fd").length,
    threads: readdirSync("/proc/self/task").length,
  };
}

/** Queues input for a program that never reads, kills it, opens others in its place: nothing may cross. */
export async function checkStaleInput(driver: PtyDriver, scratch: Scratch): Promise<void> {
  const deaf = await driver.spawn(DEAF_LAUNCH);
  await new Reader(deaf).until("ready");
  await assertRefused("input_queue_full", async () => {
    for (;;) await deaf.write(new Uint8Array(64 * 1024).fill(0x58));
  });
  await deaf[Symbol.asyncDispose]();
  const files = Array.from({ length: 6 }, (_, index) =>
    openSync(scratch.file(`file-${index}`), "w"),
  );
  await using echo = await driver.spawn(ECHO_LAUNCH);
  const reader = new Reader(echo);
  await reader.until("ready");
  await echo.write(ascii("end"));
  assert.equal(await reader.until("end"), "readyend");
  for (const file of files) {
    assert.equal(fstatSync(file).size, 0, "input of a dead terminal was written to a file");
    closeSync(file);
  }
}

export const ISOLATION_CASES: readonly PtyCase[] = [
  {
    name: "a program has no descriptor but its terminal, also after others were closed in between",
    async run(driver) {
      const others: Pty[] = [];
      for (let index = 0; index < 12; index++) others.push(await driver.spawn(DEAF_LAUNCH));
      for (const index of [3, 4, 7]) await others[index]?.[Symbol.asyncDispose]();
      const { text } = await runToEnd(driver, LIST_DESCRIPTORS);
      const plain = execFileSync("/bin/ls", ["-l", "/proc/self/fd"], { encoding: "utf8" });
      await Promise.all(others.map((pty) => pty[Symbol.asyncDispose]()));
      assert.deepEqual(foreignDescriptors(text), []);
      assert.doesNotMatch(plain, /ptmx/);
    },
  },
  {
    name: "input queued for a dead terminal reaches neither a new terminal nor a file",
    async run(driver) {
      for (let round = 0; round < 5; round++) {
        using scratch = new Scratch();
        await checkStaleInput(driver, scratch);
      }
    },
  },
  {
    name: "input for a program that does not read is bounded, and others are served meanwhile",
    async run(driver) {
      await using deaf = await driver.spawn(DEAF_LAUNCH);
      await new Reader(deaf).until("ready");
      await assertRefused("input_queue_full", async () => {
        for (let offered = 0; offered < 8 * 1024 * 1024; offered += 4096) {
          await deaf.write(new Uint8Array(4096));
        }
      });
      assert.ok((await deaf.state()).queuedInputBytes <= 1024 * 1024);
      await using echo = await driver.spawn(ECHO_LAUNCH);
      const reader = new Reader(echo);
      await reader.until("ready");
      await echo.write(ascii("still served"));
      await reader.until("still served");
    },
  },
  {
    name: "spawning and ending many times leaves descriptors and threads as they were",
    async run(driver) {
      await runToEnd(driver, programLaunch("/bin/true"));
      const before = countResources();
      for (let round = 0; round < 50; round++) {
        await runToEnd(driver, programLaunch("/bin/echo", "hello"));
      }
      assert.deepEqual(countResources(), before);
    },
  },
];
