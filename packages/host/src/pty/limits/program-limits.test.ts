import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { expect, test } from "vitest";
import { runToEnd, Scratch, scriptLaunch } from "../contract/pty-fixtures.ts";
import { linuxPty } from "../linux-pty.ts";
import { pipePty } from "../pipe-pty.ts";
import { readProcess } from "../process-table.ts";
import type { PtyLaunch } from "../pty.ts";
import { Cgroup, ownCgroup } from "./cgroup.ts";
import type { ProgramLimits } from "./program-limits.ts";

const VICTIM = fileURLToPath(new URL("../testing/limits.victim.ts", import.meta.url));
const NODE = [process.execPath, "--conditions=nacre-source", VICTIM];
const MEGABYTE = 1024 * 1024;

/** Root may start as many processes as it likes; anybody else is held to a number of them. */
const ANOTHER_USER = 65_534;

const limited = (
  script: string,
  asked: ProgramLimits,
  defaults: ProgramLimits = {},
): PtyLaunch => ({
  ...scriptLaunch(script),
  limits: { asked, defaults, cgroups: false },
});

const ENTER = 'echo 0 > "$1" && shift && exec "$@"';

/** What becomes of programs in a cgroup that want more than they may have. */
const HELD = {
  inForce: { mechanism: "cgroup", maxProcesses: 64 },
  memory: { signal: "SIGKILL", limitReached: "memory" },
  pipedMemory: { signal: "SIGKILL", limitReached: "memory" },
  bomb: { survivors: [], endedInTime: true },
  hiddenLeft: 0,
  hasOdd: true,
  groupsLeft: [],
};

async function runVictim(words: readonly string[], user?: number): Promise<unknown> {
  const [file = "", ...args] = words;
  const as = user === undefined ? {} : { uid: user, gid: user };
  const env = { PATH: process.env["PATH"], HOME: "/nonexistent" };
  const { stdout } = await promisify(execFile)(file, args, { ...as, env, cwd: "/" });
  return JSON.parse(stdout);
}

test.for([linuxPty, pipePty])(
  "$name starts programs with the limits of a process",
  async (driver) => {
    const asked = { maxOpenFiles: 64, maxMemoryBytes: 256 * MEGABYTE };
    const launch = limited("ulimit -n; ulimit -d", asked, { maxOpenFiles: 128, maxCpuSeconds: 60 });
    await using pty = await driver.spawn(launch);
    expect(pty.limits).toEqual({ mechanism: "rlimit", ...asked, maxCpuSeconds: 60 });
    const { text } = await runToEnd(driver, launch);
    expect(text.split(/\s+/).slice(0, 2)).toEqual(["64", String(256 * 1024)]);
  },
);

test("without limits a program is started as it is", async () => {
  await using pty = await linuxPty.spawn(scriptLaunch("exit 0"));
  expect(pty.limits).toEqual({ mechanism: "none" });
});

test("0 is no limit", async () => {
  await using pty = await linuxPty.spawn(limited("exit 0", {}, { maxMemoryBytes: 0 }));
  expect(pty.limits).toEqual({ mechanism: "none" });
});

test("too long on the processors ends a program, and says so", async () => {
  const { exit } = await runToEnd(linuxPty, limited("while :; do :; done", { maxCpuSeconds: 1 }));
  expect(exit).toMatchObject({ signal: "SIGXCPU", limitReached: "cpuTime" });
});

test("too much memory is refused to a process", async () => {
  const launch = limited("head -c 300000000 /dev/zero | tail", { maxMemoryBytes: 64 * MEGABYTE });
  const { exit, text } = await runToEnd(linuxPty, launch);
  expect(text).toContain("memory exhausted");
  expect(exit).toMatchObject({ exitCode: 1 });
});

test("what cannot be limited here is refused, and a default is left out", async () => {
  const asked = linuxPty.spawn(limited("exit 0", { maxCpus: 1 }));
  await expect(asked).rejects.toMatchObject({ code: "unsupported", field: "limits.maxCpus" });
  await using pty = await linuxPty.spawn(limited("exit 0", {}, { maxCpus: 1 }));
  expect(pty.limits).toEqual({ mechanism: "none" });
});

test(
  "a fork bomb ends at the limit of its user, and can be ended",
  { timeout: 60_000 },
  async () => {
    const user = process.getuid?.() === 0 ? ANOTHER_USER : undefined;
    const outcome = await runVictim(NODE, user);
    expect(outcome).toMatchObject({
      inForce: { mechanism: expect.stringMatching("cgroup|rlimit"), maxProcesses: 64 },
      bomb: { survivors: [], endedInTime: true },
      hasOdd: true,
    });
  },
);

test("no more processes are allowed than this process may have itself", async () => {
  const module = JSON.stringify(new URL("rlimits.ts", import.meta.url).href);
  const program = `
    import { rlimitWords } from ${module};
    process.stdout.write(JSON.stringify(rlimitWords({ maxProcesses: 100000 })));`;
  const node = [
    process.execPath,
    "--conditions=nacre-source",
    "--input-type=module",
    "-e",
    program,
  ];
  const words = await runVictim(["prlimit", "--nproc=20000:20000", ...node]);
  expect(words).toContain("--nproc=20000");
});

test("where the kernel cannot kill a cgroup, it is frozen and its processes are killed", async () => {
  using scratch = new Scratch();
  const directory = scratch.file("programs");
  const group = new Cgroup(directory);
  const child = spawn("/bin/sleep", ["1000"], { stdio: "ignore" });
  const ended = once(child, "exit");
  // 0 is how a process of elsewhere is listed.
  writeFileSync(group.entrance, `0\n${child.pid}\n`);
  const freeze = join(directory, "cgroup.freeze");
  writeFileSync(freeze, "0");
  group.kill();
  expect(readFileSync(freeze, "latin1")).toBe("1");
  expect(await ended).toEqual([null, "SIGKILL"]);
  expect(group.wasKilled).toBe(true);
});

/** A cgroup for a test, inside that of this process; says why there can be none. */
function openBox(): { readonly box: string } | { readonly reason: string } {
  const own = ownCgroup();
  if (own === undefined) return { reason: "no cgroup v2 is mounted" };
  const box = join(own, `nacre-test-${process.pid}`);
  try {
    mkdirSync(box);
    return { box };
  } catch {
    return { reason: `${own} may not be divided by this user` };
  }
}

test("everything in a cgroup ends with it, whatever it did to hide", async (context) => {
  const found = openBox();
  // Only a user who may divide a cgroup v2 can try this; others are limited by rlimits, whose tests run everywhere.
  if ("reason" in found) return context.skip(found.reason);
  const { box } = found;
  try {
    const group = new Cgroup(join(box, "programs"));
    const enter = ["-c", 'echo 0 > "$1"; env -i setsid sleep 1000 & exec sleep 1000', "sh"];
    const child = spawn("/bin/sh", [...enter, group.entrance], { stdio: "ignore" });
    const ended = once(child, "exit");
    while (group.members().size < 2) await new Promise(setImmediate);
    const members = [...group.members()];
    expect(await group.remove()).toBe(true);
    expect(await ended).toEqual([null, "SIGKILL"]);
    expect(existsSync(join(box, "programs"))).toBe(false);
    expect(members.filter((pid) => readProcess(pid)?.isDead === false)).toEqual([]);
    expect(group.members().size).toBe(0);
  } finally {
    rmdirSync(box);
  }
});

test(
  "a cgroup holds everything that a terminal starts, and goes with it",
  { timeout: 60_000 },
  async (context) => {
    const found = openBox();
    // As above; and without these controllers the host itself uses rlimits.
    if ("reason" in found) return context.skip(found.reason);
    const { box } = found;
    try {
      const controllers = readFileSync(join(box, "cgroup.controllers"), "latin1").trim().split(" ");
      const missing = ["memory", "pids"].filter((name) => !controllers.includes(name));
      if (missing.length > 0) context.skip(`${box} has no controller ${missing.join(", ")}`);
      const enter = ["/bin/sh", "-c", ENTER, "sh", join(box, "cgroup.procs")];
      expect(await runVictim([...enter, ...NODE])).toEqual(HELD);
    } finally {
      const host = join(box, "nacre-host");
      if (existsSync(host)) rmdirSync(host);
      rmdirSync(box);
    }
  },
);
