// What a terminal host promises about its PTYs, measured. Each target says whether it was met.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { NacreError } from "@nacre/contracts";
import { checkTail, type ReaderHabit } from "../../packages/host/src/pty/contract/port-cases.ts";
import {
  checkStaleInput,
  countResources,
  foreignDescriptors,
} from "../../packages/host/src/pty/contract/process-cases.ts";
import {
  DEAF_LAUNCH,
  programLaunch,
  PtyReader,
  RAW,
  runToEnd,
  Scratch,
  scriptLaunch,
  spawnReady,
} from "../../packages/host/src/pty/contract/pty-fixtures.ts";
import {
  MAX_QUEUED_INPUT_BYTES,
  type Pty,
  type PtyDriver,
} from "../../packages/host/src/pty/pty.ts";
import { type Target, times } from "../support/target.ts";

/** What a run is made of. */
interface Run {
  readonly driver: PtyDriver;
  /** 1 is the full suite; smaller runs do the same less often. */
  readonly scale: number;
  /** Numbers from 0 to 1, the same for the same seed. */
  readonly random: () => number;
  readonly progress: (done: number, of: number) => void;
}

const HABITS: readonly ReaderHabit[] = ["idle", "busy", "stalled"];
const MAX_SHORT_BYTES = 64 * 1024;

async function shortPrograms({ driver, scale, random, progress }: Run): Promise<string> {
  using scratch = new Scratch();
  const content = randomBytes(MAX_SHORT_BYTES);
  writeFileSync(scratch.file("random"), content);
  const rounds = times(10_000, scale);
  let exact = 0;
  for (let round = 0; round < rounds; round++) {
    const bytes = Math.floor(random() ** 3 * (MAX_SHORT_BYTES + 1));
    const script = `${RAW}; exec head -c "$1" "$2"`;
    const launch = scriptLaunch(script, String(bytes), scratch.file("random"));
    await using pty = await driver.spawn(launch);
    if (round % 2 === 1) await pty.exited;
    const reader = new PtyReader(pty);
    const text = await reader.toEnd();
    const expected = content.subarray(0, bytes).toString("latin1");
    if (text === expected && (await pty.exited).outputBytes === bytes) exact++;
    progress(round + 1, rounds);
  }
  assert.equal(exact, rounds);
  return `${exact} of ${rounds} short programs byte-exact, half of them read only after their exit`;
}

async function largeOutputs({ driver, scale, progress }: Run): Promise<string> {
  const rounds = times(20, scale);
  const bytes = Math.round(100_000_000 * Math.min(1, scale * 10));
  const stallMs = Math.round(5000 * Math.min(1, scale));
  for (let round = 0; round < rounds; round++) {
    const habit = HABITS[round % HABITS.length] ?? "idle";
    await checkTail(driver, { habit, bytes, stall: () => wait(stallMs) });
    progress(round + 1, rounds);
  }
  return `${rounds} × ${bytes / 1e6} MB random byte-exact, readers idle, busy and stalled ${stallMs / 1000} s at the exit`;
}

const readRssKb = (): number =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]);

/** Offers bytes to a program that never reads; gives how many were refused and the highest memory seen. */
async function offer(pty: Pty, { offers, pieceBytes }: { offers: number; pieceBytes: number }) {
  const piece = new Uint8Array(pieceBytes);
  let refused = 0;
  let peakRssKb = 0;
  for (let index = 0; index < offers; index++) {
    try {
      await pty.write(piece);
    } catch (error) {
      if (!(error instanceof NacreError && error.code === "input_queue_full")) throw error;
      refused++;
    }
    if (index % 10 < 9) continue;
    peakRssKb = Math.max(peakRssKb, readRssKb());
    if (pieceBytes > 1) await wait(50);
  }
  return { refused, peakRssKb };
}

const MAX_GROWN_MB = 4;
const MAX_CPU_SHARE = 0.02;
async function deafProgram({ driver, scale, progress }: Run): Promise<string> {
  const pieces = { offers: Math.max(100, Math.round(3200 * scale)), pieceBytes: 64 * 1024 };
  const { pty: warmUp } = await spawnReady(driver, DEAF_LAUNCH);
  await using _ = warmUp;
  await offer(warmUp, { ...pieces, offers: Math.round(pieces.offers / 10) });
  const { pty } = await spawnReady(driver, DEAF_LAUNCH);
  await using __ = pty;
  globalThis.gc?.();
  const rssBefore = readRssKb();
  const cpuBefore = process.cpuUsage();
  const startedAt = performance.now();
  const { refused, peakRssKb } = await offer(pty, pieces);
  const { user, system } = process.cpuUsage(cpuBefore);
  const cpuShare = (user + system) / 1000 / (performance.now() - startedAt);
  const { pty: typedAt } = await spawnReady(driver, DEAF_LAUNCH);
  await using ___ = typedAt;
  const keys = await offer(typedAt, { offers: 300_000, pieceBytes: 1 });
  progress(1, 1);
  const grownMb = (Math.max(peakRssKb, keys.peakRssKb) - rssBefore) / 1024;
  const offeredMb = Math.round((pieces.offers * pieces.pieceBytes) / 1e6);
  const summary = `${offeredMb} MB offered, ${refused} of ${pieces.offers} pieces refused, then 300,000 single keys: +${grownMb.toFixed(1)} MB, ${(cpuShare * 100).toFixed(1)} % CPU`;
  assert.ok(refused >= pieces.offers - 20, summary);
  const { queuedInputBytes } = await pty.state();
  assert.ok(
    queuedInputBytes <= MAX_QUEUED_INPUT_BYTES,
    `${summary}; ${queuedInputBytes} bytes wait`,
  );
  // What a short run offers is less than what the garbage of the process comes to.
  if (scale < 1) return `${summary} (a short run is held to what waits only)`;
  assert.ok(grownMb <= MAX_GROWN_MB, summary);
  assert.ok(cpuShare <= MAX_CPU_SHARE, summary);
  return summary;
}

async function foreignFds({ driver, scale, random, progress }: Run): Promise<string> {
  const rounds = times(10_000, scale);
  const others = new Set<Pty>();
  await using cleanUp = new AsyncDisposableStack();
  cleanUp.defer(async () => {
    await Promise.all([...others].map((pty) => pty[Symbol.asyncDispose]()));
  });
  let foreign = 0;
  for (let round = 0; round < rounds; round++) {
    if (others.size < 40 && random() < 0.15) others.add(await driver.spawn(DEAF_LAUNCH));
    if (others.size > 20 && random() < 0.15) {
      const closed = [...others][Math.floor(random() * others.size)];
      if (closed) others.delete(closed);
      await closed?.[Symbol.asyncDispose]();
    }
    const listing = programLaunch("/bin/ls", "-l", "/proc/self/fd");
    foreign += foreignDescriptors((await runToEnd(driver, listing)).text).length;
    progress(round + 1, rounds);
  }
  assert.equal(foreign, 0);
  return `${foreign} foreign descriptors in ${rounds} programs, with others opened and closed at random`;
}

async function crossedBytes({ driver, scale, progress }: Run): Promise<string> {
  const rounds = times(1000, scale);
  using scratch = new Scratch();
  for (let round = 0; round < rounds; round++) {
    await checkStaleInput(driver, scratch);
    progress(round + 1, rounds);
  }
  return `0 crossed bytes in ${rounds} rounds of kill and reopen with 1 MiB of input waiting`;
}

async function cycles({ driver, scale, progress }: Run): Promise<string> {
  const rounds = times(1000, scale);
  await runToEnd(driver, programLaunch("/bin/true"));
  const before = countResources();
  for (let round = 0; round < rounds; round++) {
    await runToEnd(driver, programLaunch("/bin/echo", "hello"));
    progress(round + 1, rounds);
  }
  const after = countResources();
  assert.deepEqual(after, before);
  return `${rounds} spawns and exits: ${after.descriptors} descriptors and ${after.threads} threads, as before`;
}

/** The suite, in the order in which it is run and printed. */
export const TARGETS: readonly Target<Run>[] = [
  { id: "F5a", name: "short programs", requirement: "100 % byte-exact", measure: shortPrograms },
  { id: "F5b", name: "large outputs", requirement: "100 % byte-exact", measure: largeOutputs },
  {
    id: "F12",
    name: "a program that does not read",
    requirement: "≤ +4 MB, ≤ 2 % CPU",
    measure: deafProgram,
  },
  { id: "F13a", name: "descriptors", requirement: "0 foreign", measure: foreignFds },
  { id: "F13b", name: "input of the dead", requirement: "0 crossed", measure: crossedBytes },
  { id: "cycles", name: "spawn and exit", requirement: "back to where it was", measure: cycles },
];
