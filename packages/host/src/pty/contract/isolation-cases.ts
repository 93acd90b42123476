// Terminals do not reach each other, and a terminal leaves no descriptor, thread or process behind.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readdirSync } from "node:fs";
import { MAX_QUEUED_INPUT_BYTES, type PtyDriver, type PtyLaunch } from "../pty.ts";
import {
  ascii,
  assertRefused,
  DEAF_LAUNCH,
  ECHO_LAUNCH,
  programLaunch,
  type PtyCase,
  RAW,
  runToEnd,
  Scratch,
  scriptLaunch,
  spawnReady,
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
  await fillAndDispose(driver, DEAF_LAUNCH);
  await checkNothingArrives(driver, scratch);
}

/** Offers input until it is refused, then ends the terminal. */
async function fillAndDispose(driver: PtyDriver, launch: PtyLaunch): Promise<void> {
  await using deaf = (await spawnReady(driver, launch)).pty;
  await assertRefused("input_queue_full", async () => {
    for (;;) await deaf.write(new Uint8Array(64 * 1024).fill(0x58));
  });
}

/** Opens files and a terminal, and checks that they get nothing that was not meant for them. */
async function checkNothingArrives(driver: PtyDriver, scratch: Scratch): Promise<void> {
  using files = new DisposableStack();
  const opened = Array.from({ length: 6 }, (_, index) =>
    files.adopt(openSync(scratch.file(`file-${index}`), "w"), closeSync),
  );
  const { pty, reader } = await spawnReady(driver, ECHO_LAUNCH);
  await using _ = pty;
  await pty.write(ascii("end"));
  assert.equal(await reader.until("end"), "readyend");
  for (const file of opened) {
    assert.equal(fstatSync(file).size, 0, "input of a dead terminal was written to a file");
  }
}

/** What a driver must keep apart. */
export const ISOLATION_CASES: readonly PtyCase[] = [
  {
    name: "a program has no descriptor but its terminal, also after others were closed in between",
    async run(driver) {
      await using others = new AsyncDisposableStack();
      for (let index = 0; index < 12; index++) {
        const pty = await driver.spawn(DEAF_LAUNCH);
        if (index % 4 === 3) await pty[Symbol.asyncDispose]();
        else others.use(pty);
      }
      const { text } = await runToEnd(driver, LIST_DESCRIPTORS);
      const plain = execFileSync("/bin/ls", ["-l", "/proc/self/fd"], { encoding: "utf8" });
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
    name: "input queued for a dead terminal goes nowhere, also when an escaped program holds the terminal",
    async run(driver) {
      using scratch = new Scratch();
      const escape = "( setsid env -i sh -c 'printf held; exec sleep 1000' & )";
      const script = `${RAW}; ${escape}; printf ready; exec sleep 1000`;
      const { pty, reader } = await spawnReady(driver, scriptLaunch(script));
      await reader.until("held");
      await assertRefused("input_queue_full", async () => {
        for (;;) await pty.write(new Uint8Array(64 * 1024).fill(0x58));
      });
      const { survivors } = await pty.kill(0);
      try {
        assert.equal(survivors.length, 1);
        await pty[Symbol.asyncDispose]();
        await checkNothingArrives(driver, scratch);
      } finally {
        for (const { pid } of survivors) process.kill(pid, "SIGKILL");
      }
    },
  },
  {
    name: "input for a program that does not read is bounded, and others are served meanwhile",
    async run(driver) {
      await using deaf = (await spawnReady(driver, DEAF_LAUNCH)).pty;
      await assertRefused("input_queue_full", async () => {
        for (let offered = 0; offered < 8 * 1024 * 1024; offered += 4096) {
          await deaf.write(new Uint8Array(4096));
        }
      });
      assert.ok((await deaf.state()).queuedInputBytes <= MAX_QUEUED_INPUT_BYTES);
      const { pty, reader } = await spawnReady(driver, ECHO_LAUNCH);
      await using _ = pty;
      await pty.write(ascii("still served"));
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
