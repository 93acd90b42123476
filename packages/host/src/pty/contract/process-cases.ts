// Programs end exactly as they ended, and kill leaves nothing behind, whatever they started.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { readProcess } from "../process-table.ts";
import {
  ascii,
  assertRefused,
  DEAF_LAUNCH,
  programLaunch,
  type PtyCase,
  RAW,
  PtyReader,
  runToEnd,
  Scratch,
  scriptLaunch,
  spawnReady,
} from "./tools.ts";

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
