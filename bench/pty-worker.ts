// Measures one driver in a process of its own, so that CPU, threads and memory are its own. Prints one JSON line.
import { readdirSync, readFileSync } from "node:fs";
import * as nodePtyPackage from "@lydell/node-pty";
import { TestKeeper } from "../packages/host/src/keeper/testing/test-keeper.ts";
import {
  ECHO_LAUNCH,
  programLaunch,
  PtyReader,
} from "../packages/host/src/pty/contract/pty-fixtures.ts";
import { linuxPty } from "../packages/host/src/pty/linux-pty.ts";
import { createNodePty } from "../packages/host/src/pty/node-pty.ts";
import type { Pty, PtyDriver, PtyLaunch } from "../packages/host/src/pty/pty.ts";

const IDLE_TERMINALS = 200;
const WARM_UP_BYTES = "30000000";
const [contender = "", measure = "", argument = ""] = process.argv.slice(2);
const keeper = contender === "keeper-pty" ? await TestKeeper.start() : undefined;
const driver: PtyDriver = await openDriver();

async function openDriver(): Promise<PtyDriver> {
  if (keeper) return (await keeper.openDriver()).driver;
  return contender === "linux-pty" ? linuxPty : createNodePty(nodePtyPackage);
}

/** The package as its own users use it: counts bytes and does nothing else. */
function countWithPackage(launch: PtyLaunch): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  let bytes = 0;
  const options = { cols: 80, rows: 24, cwd: "/", env: { ...launch.env }, encoding: null };
  const terminal = nodePtyPackage.spawn(launch.file, [...launch.args], options);
  terminal.onData((data) => (bytes += data.length));
  terminal.onExit(() => resolve(bytes));
  return promise;
}

async function countWithDriver(launch: PtyLaunch): Promise<number> {
  const pty = await driver.spawn(launch);
  let bytes = 0;
  for (let chunk = await pty.read(); chunk; chunk = await pty.read(chunk.bytes)) {
    bytes += chunk.bytes.byteLength;
    pty.acknowledge?.(bytes);
  }
  await pty.exited;
  return bytes;
}

const count = contender === "@lydell/node-pty" ? countWithPackage : countWithDriver;

async function throughput(file: string) {
  // A host runs for days: the first bytes only compile the code.
  await count(programLaunch("/usr/bin/head", "-c", WARM_UP_BYTES, file));
  globalThis.gc?.();
  const from = performance.now();
  const cpuBefore = process.cpuUsage();
  const bytes = await count(programLaunch("/bin/cat", file));
  const { user, system } = process.cpuUsage(cpuBefore);
  return {
    bytes,
    seconds: (performance.now() - from) / 1000,
    cpuSeconds: (user + system) / 1e6,
  };
}

async function timeEach(rounds: number, run: () => Promise<unknown>) {
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const from = performance.now();
    await run();
    times.push(performance.now() - from);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)];
  return { p50Ms: at(0.5), p99Ms: at(0.99) };
}

async function echo(rounds: number) {
  await using pty = await driver.spawn(ECHO_LAUNCH);
  const reader = new PtyReader(pty);
  await reader.until("ready");
  const key = new Uint8Array([0x78]);
  return await timeEach(rounds, async () => {
    const before = reader.bytes;
    await pty.write(key);
    while (reader.bytes === before) await reader.next();
  });
}

function resources() {
  const status = readFileSync("/proc/self/status", "utf8");
  return {
    rssKb: Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]),
    threads: readdirSync("/proc/self/task").length,
  };
}

async function idle() {
  await count(programLaunch("/bin/true"));
  const before = resources();
  const terminals: Pty[] = [];
  while (terminals.length < IDLE_TERMINALS) {
    const pty = await driver.spawn(ECHO_LAUNCH);
    await new PtyReader(pty).until("ready");
    terminals.push(pty);
  }
  const after = resources();
  await Promise.all(terminals.map((pty) => pty[Symbol.asyncDispose]()));
  return {
    kbEach: (after.rssKb - before.rssKb) / IDLE_TERMINALS,
    threadsEach: (after.threads - before.threads) / IDLE_TERMINALS,
  };
}

const measures: Record<string, () => Promise<unknown>> = {
  throughput: () => throughput(argument),
  spawn: () => timeEach(Number(argument), () => count(programLaunch("/bin/true"))),
  echo: () => echo(Number(argument)),
  idle,
};
const run = measures[measure];
if (!run) throw new Error(`unknown measure ${measure}`);
console.log(JSON.stringify(await run()));
await keeper?.[Symbol.asyncDispose]();
process.exit();
