// Runs programs that want more than they may have, and tells what came of it as JSON.
import { copyFileSync, readdirSync } from "node:fs";
import {
  programLaunch,
  PtyReader,
  runToEnd,
  Scratch,
  scriptLaunch,
  spawnReady,
} from "../contract/pty-fixtures.ts";
import { findCgroup } from "../limits/cgroup.ts";
import type { ProgramLimits } from "../limits/program-limits.ts";
import { linuxPty } from "../linux-pty.ts";
import { pipePty } from "../pipe-pty.ts";
import { listProcesses, type ProcessFacts } from "../process-table.ts";
import { sendSignal } from "../process-tree.ts";
import type { PtyLaunch } from "../pty.ts";

const LIMITS = { defaults: {}, cgroups: true };
const ECHO = scriptLaunch("printf ready; exec cat");

const { directory } = findCgroup();

const limited = (asked: ProgramLimits, script: string): PtyLaunch => ({
  ...scriptLaunch(script),
  limits: { ...LIMITS, asked },
});

const endOf = async (launch: PtyLaunch, driver = linuxPty): Promise<unknown> => {
  const { exit } = await runToEnd(driver, launch);
  const { exitCode, signal, limitReached } = exit;
  return { exitCode, signal, limitReached };
};

/** The program that did everything to hide. */
async function findHidden(): Promise<readonly ProcessFacts[]> {
  const found = await listProcesses();
  return found.filter(({ name, isDead }) => name === "nacre-hidden" && !isDead);
}

const { pty: other, reader } = await spawnReady(linuxPty, ECHO);

// As much memory as there is, in one process.
const memoryLimit = { maxMemoryBytes: 64 * 1024 * 1024 };
const memory = await endOf(limited(memoryLimit, "exec tail /dev/zero"));
const pipedMemory = await endOf(limited(memoryLimit, "exec tail /dev/zero"), pipePty);

// As many processes as there can be, while somebody else works.
const bomb = await linuxPty.spawn(
  limited({ maxProcesses: 64 }, "f() { f | f & }; f; wait; sleep 1000"),
);
await new PtyReader(bomb).until("fork");
await other.write(Buffer.from("still here"));
await reader.until("still here");
const startedAt = performance.now();
const { survivors } = await bomb.kill(0);
await bomb[Symbol.asyncDispose]();
const bombEndedMs = Math.round(performance.now() - startedAt);

// What leaves its session, its parents and its marker behind.
using scratch = new Scratch();
copyFileSync("/bin/sleep", scratch.file("nacre-hidden"));
const hidden = await linuxPty.spawn({
  ...scriptLaunch('env -i setsid "$1" 1000 & printf ready; exec cat', scratch.file("nacre-hidden")),
  limits: { ...LIMITS, asked: {} },
});
await new PtyReader(hidden).until("ready");
while ((await findHidden()).length === 0) await new Promise(setImmediate);
await hidden[Symbol.asyncDispose]();
const survived = await findHidden();
for (const one of survived) sendSignal(one, "SIGKILL");

// A program gets its variables, also those that a shell would drop.
const odd = { "BASH_FUNC_f%%": "() { :; }" };
const env = programLaunch("/usr/bin/env");
const { text } = await runToEnd(linuxPty, {
  ...env,
  env: { ...env.env, ...odd },
  limits: { ...LIMITS, asked: {} },
});

await other[Symbol.asyncDispose]();
const groups = directory === undefined ? [] : readdirSync(directory);
process.stdout.write(
  JSON.stringify({
    inForce: bomb.limits,
    memory,
    pipedMemory,
    bomb: { survivors, endedInTime: bombEndedMs < 5000 },
    hiddenLeft: survived.length,
    hasOdd: text.includes("BASH_FUNC_f%%=() { :; }"),
    groupsLeft: groups.filter((name) => /^nacre-\d/.test(name)),
  }),
);
