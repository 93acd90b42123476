// Programs end exactly as they ended, and kill leaves nothing behind, whatever they started.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { readProcess } from "../process-table.ts";
import { MAX_QUEUED_INPUT_BYTES, type PtyDriver, type PtyLaunch } from "../pty.ts";
import {
  ascii,
  assertRefused,
  DEAF_LAUNCH,
  ECHO_LAUNCH,
  programLaunch,
  type PtyCase,
  PtyReader,
  RAW,
  runToEnd,
  Scratch,
  scriptLaunch,
  spawnReady,
} from "./pty-fixtures.ts";

// Terminals do not reach each other, and a terminal leaves no descriptor, thread or process behind.

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

const isGone = (pid: number): boolean => {
  const state = readProcess(pid)?.state;
  return state === undefined || state === "Z" || state === "X";
};

/** Process numbers that a script announced as `pid:N;`. */
const announcedPids = (text: string): readonly number[] =>
  [...text.matchAll(/pid:(\d+);/g)].map((match) => Number(match[1]));

/** What a driver must do with processes: start them where asked, end them all, and say how they ended. */
export const PROCESS_CASES: readonly PtyCase[] = [
  {
    name: "an exit code is exact",
    async run(driver) {
      for (const code of [0, 1, 2, 7, 126, 127, 128, 255]) {
        const { exit } = await runToEnd(driver, scriptLaunch(`exit ${code}`));
        assert.deepEqual([exit.exitCode, exit.signal], [code, undefined]);
      }
    },
  },
  {
    name: "a death by signal has the signal and no code",
    async run(driver) {
      for (const signal of ["KILL", "TERM", "HUP", "INT", "QUIT", "SEGV", "ABRT", "USR1"]) {
        const { exit } = await runToEnd(driver, scriptLaunch(`ulimit -c 0; kill -${signal} $$`));
        assert.deepEqual([exit.exitCode, exit.signal], [undefined, `SIG${signal}`]);
      }
    },
  },
  {
    name: "a shell that is replaced by exec keeps its process and gives the code of the last program",
    async run(driver) {
      await using pty = await driver.spawn(
        scriptLaunch(
          "printf 'pid:%s;' $$; exec sh -c 'printf \"pid:%s;\" $$; exec sh -c \"exit 9\"'",
        ),
      );
      const text = await new PtyReader(pty).toEnd();
      assert.deepEqual(announcedPids(text), [pty.leader.pid, pty.leader.pid]);
      assert.equal((await pty.exited).exitCode, 9);
    },
  },
  {
    name: "the program leads a session that has the terminal and is in the foreground",
    async run(driver) {
      await using pty = await driver.spawn(DEAF_LAUNCH);
      await new PtyReader(pty).until("ready");
      assert.equal(readProcess(pty.leader.pid)?.session, pty.leader.pid);
      assert.equal((await pty.state()).foregroundProcessGroup, pty.leader.pid);
      assert.match(
        (await runToEnd(driver, programLaunch("/usr/bin/tty"))).text,
        /^\/dev\/pts\/\d+/,
      );
    },
  },
  {
    name: "a signal reaches the job in the foreground and not the shell",
    async run(driver) {
      const script = "set -m; printf ready; sh -c 'exec sleep 1000'; printf 'code %s' $?; exit 3";
      await using pty = await driver.spawn(scriptLaunch(script));
      const reader = new PtyReader(pty);
      await reader.until("ready");
      for (;;) {
        // The job is in the foreground only when the shell put it there.
        const group = (await pty.state()).foregroundProcessGroup;
        if (group !== pty.leader.pid && readProcess(group ?? 0)?.name === "sleep") break;
        await new Promise(setImmediate);
      }
      await pty.signal("SIGTERM");
      assert.match(await reader.toEnd(), /code 143/);
      assert.equal((await pty.exited).exitCode, 3);
    },
  },
  {
    name: "a program that lets go of its terminal goes on, and may come back to it",
    async run(driver) {
      using scratch = new Scratch();
      const script =
        'exec < /dev/null > "$1" 2>&1; echo quiet; sleep 0.1; echo loud > /dev/tty; exit 8';
      await using pty = await driver.spawn(scriptLaunch(script, scratch.file("log")));
      assert.equal(await new PtyReader(pty).toEnd(), "loud\r\n");
      assert.equal((await pty.exited).exitCode, 8);
      assert.equal(readFileSync(scratch.file("log"), "utf8"), "quiet\n");
    },
  },
  {
    name: "a keyboard's signal reaches the job in the foreground",
    async run(driver) {
      const { pty, reader } = await spawnReady(
        driver,
        scriptLaunch(
          "trap 'printf interrupted; exit 6' INT; printf ready; while :; do sleep 0.01; done",
        ),
      );
      await using _ = pty;
      await pty.signal("SIGINT");
      assert.match(await reader.toEnd(), /interrupted/);
      assert.equal((await pty.exited).exitCode, 6);
    },
  },
  {
    name: "a program starts in its directory, and not at all outside the allowed roots",
    async run(driver) {
      using scratch = new Scratch();
      const inside = { ...scriptLaunch("pwd -P"), cwd: scratch.path, allowedRoots: [scratch.path] };
      assert.equal((await runToEnd(driver, inside)).text.trim(), scratch.path);
      await assertRefused("cwd_forbidden", () => driver.spawn({ ...inside, cwd: "/etc" }));
    },
  },
  {
    name: "a program that does not exist or may not be executed is refused",
    async run(driver) {
      await assertRefused("command_not_found", () =>
        driver.spawn(programLaunch("/no/such/program")),
      );
      await assertRefused("command_not_executable", () =>
        driver.spawn(programLaunch("/etc/passwd")),
      );
    },
  },
  {
    name: "what escaped every tie but holds the terminal is named and left alone",
    async run(driver) {
      const script = "( setsid env -i sh -c 'echo pid:$$; exec sleep 1000' & ) ; exec cat";
      await using pty = await driver.spawn(scriptLaunch(script));
      const reader = new PtyReader(pty);
      const escaped = Number(/pid:(\d+)\r/.exec(await reader.until("\n"))?.[1]);
      try {
        const report = await pty.kill();
        assert.deepEqual(
          report.survivors.map(({ pid }) => pid),
          [escaped],
        );
        assert.equal((await pty.exited).drained, false);
      } finally {
        process.kill(escaped, "SIGKILL");
      }
      await reader.toEnd();
    },
  },
  {
    name: "interactive shells end at once when asked",
    async run(driver) {
      for (const shell of ["/bin/bash", "/bin/sh"]) {
        await using pty = await driver.spawn(programLaunch(shell, "-i"));
        await new PtyReader(pty).next();
        const report = await pty.kill(20_000);
        assert.deepEqual([report.forced, report.survivors], [false, []]);
      }
    },
  },
  {
    name: "kill reaches children, background jobs, new sessions and double forks",
    async run(driver) {
      const child = 'sh -c \'printf "pid:%s;" $$; trap "" HUP; while :; do sleep 1000; done\'';
      const script = `set -m; ${child} & ( ${child} & ) ; setsid ${child} & ( setsid ${child} & ) ; wait`;
      await using pty = await driver.spawn(scriptLaunch(script));
      const reader = new PtyReader(pty);
      while (announcedPids(reader.text).length < 4) assert.ok(await reader.next());
      const report = await pty.kill();
      assert.deepEqual(report.survivors, []);
      assert.ok(report.ended >= 5, `ended ${report.ended}`);
      for (const pid of announcedPids(reader.text)) assert.ok(isGone(pid), `${pid} is alive`);
      await pty.exited;
    },
  },
  {
    name: "kill ends what ignores SIGTERM and SIGHUP, by force after the grace time",
    async run(driver) {
      const script = "trap '' TERM HUP INT; printf ready; while :; do sleep 1000; done";
      await using pty = await driver.spawn(scriptLaunch(script));
      await new PtyReader(pty).until("ready");
      const report = await pty.kill(50);
      assert.equal(report.forced, true);
      assert.deepEqual(report.survivors, []);
      assert.equal((await pty.exited).signal, "SIGKILL");
    },
  },
  {
    name: "kill lets a program clean up, and its last words are read",
    async run(driver) {
      const script = `${RAW}; trap 'printf "cleaned up"; exit 4' TERM; printf ready; while :; do sleep 0.01; done`;
      await using pty = await driver.spawn(scriptLaunch(script));
      const reader = new PtyReader(pty);
      await reader.until("ready");
      const report = await pty.kill(20_000);
      assert.equal(report.forced, false);
      assert.match(await reader.toEnd(), /cleaned up/);
      assert.equal((await pty.exited).exitCode, 4);
    },
  },
  {
    name: "a stopped program can be resized, fed and ended",
    async run(driver) {
      await using pty = await driver.spawn(scriptLaunch("printf ready; kill -STOP $$; exec cat"));
      const reader = new PtyReader(pty);
      await reader.until("ready");
      while (readProcess(pty.leader.pid)?.state !== "T") await new Promise(setImmediate);
      await pty.resize({ cols: 100, rows: 40 });
      await pty.write(ascii("waiting\n"));
      const report = await pty.kill();
      assert.deepEqual(report.survivors, []);
      assert.equal((await pty.exited).signal, "SIGTERM");
    },
  },
  {
    name: "a program sees its size and is told when it changes",
    async run(driver) {
      const script = "trap 'stty size' WINCH; printf ready; while :; do sleep 0.01; done";
      await using pty = await driver.spawn(scriptLaunch(script));
      const reader = new PtyReader(pty);
      await reader.until("ready");
      await pty.resize({ cols: 101, rows: 31 });
      await reader.until("31 101");
      await pty.resize({ cols: 1000, rows: 500 });
      await reader.until("500 1000");
    },
  },
];
