// Starts programs until the system has no more of something, and tells what came of it as JSON.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { NacreError } from "@nacre/contracts";
import { scriptLaunch, spawnReady } from "../contract/pty-fixtures.ts";
import { linuxPty } from "../linux-pty.ts";
import type { Pty } from "../pty.ts";

const [what = ""] = process.argv.slice(2);

/** More terminals than there can be. */
const MANY = 50;

/** As many programs as may be started then. */
const FEW = 3;

/** Starts nothing in its turn, so that there is room for it or not, but never for a moment only. */
const LAUNCH = scriptLaunch("printf ready; exec cat");

const failureOf = async (act: () => Promise<unknown>): Promise<unknown> =>
  await act().then(
    () => "none",
    (error: unknown) => (error instanceof NacreError ? error.code : String(error)),
  );

/** How many processes and threads the user of this process has. */
function countTasks(): number {
  const uid = process.getuid?.();
  let tasks = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const status = readFileSync(`/proc/${pid}/status`, "latin1");
      if (Number(/^Uid:\t(\d+)/m.exec(status)?.[1]) !== uid) continue;
      tasks += Number(/^Threads:\t(\d+)/m.exec(status)?.[1]);
    } catch {
      // It ended meanwhile.
    }
  }
  return tasks;
}

const limitProcesses = (max: number): void =>
  void execFileSync("prlimit", ["--pid", String(process.pid), `--nproc=${max}`]);

const { pty: first, reader } = await spawnReady(linuxPty, LAUNCH);
const started: Pty[] = [];
if (what === "processes") limitProcesses(countTasks() + FEW);
const refusal = await failureOf(async () => {
  for (let count = 0; count < MANY; count++) started.push((await spawnReady(linuxPty, LAUNCH)).pty);
});
const descriptors = readdirSync("/proc/self/fd").length;
const again = new Set<unknown>();
for (let count = 0; count < MANY; count++) {
  again.add(await failureOf(() => linuxPty.spawn(LAUNCH)));
}
const leaked = readdirSync("/proc/self/fd").length - descriptors;
await first.write(Buffer.from("still here"));
await reader.until("still here");

// Room is made, and the next one starts.
await started.pop()?.[Symbol.asyncDispose]();
const { pty: next } = await spawnReady(linuxPty, LAUNCH);
for (const pty of [first, next, ...started]) await pty[Symbol.asyncDispose]();
process.stdout.write(JSON.stringify({ refusal, again: [...again], leaked }));
