// One program's output to one viewer: the whole daemon beside programs that do part of what it does, in turns so that a noisy machine is noisy for all.
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { cpuSeconds } from "./processes.ts";
import {
  type Contender,
  startNacre,
  startNaive,
  startTmux,
  startTtyd,
} from "./throughput-contenders.ts";
import { type Flood, writeFlood } from "./throughput-text.ts";
import { END, READY, type Told, type ViewerTask } from "./throughput-task.ts";

/** The first round compiles the code, and does not count. */
const ROUNDS = 5;
const FILE_MB = 200;
const KEYS = 300;

/** What our rate is to be at least, in rates of others. */
const RATE_TARGETS: Readonly<Record<string, number>> = {
  ttyd: 1,
  "node-pty + ws": 0.8,
  "tmux attached": 1.3,
};

const MAX_DRAWN_MS = 2000;
const MAX_P50_MS = 2;
const MAX_P99_MS = 10;
const MAX_TTYD_TIMES = 1.5;

/** What was measured of one contender, in all rounds. */
interface Figures {
  readonly megabytesPerSecond: number[];
  readonly cpuMsPerMegabyte: number[];
  /** What was left to be done when the viewer had everything. */
  readonly laterMsPerMegabyte: number[];
  /** How long it drew on, and worked on in all, after the viewer had everything. */
  readonly drawnMs: number[];
  readonly restMs: number[];
  readonly keyMs: number[];
}

const at = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;

const median = (values: readonly number[]): number => at(values, 0.5);

const hasProgram = (name: string): boolean => spawnSync("which", [name]).status === 0;

/** Runs all measurements and prints them with the targets. */
export async function benchThroughput(): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  try {
    const flood = writeFlood(join(directory, "text"), FILE_MB * 1e6);
    await using stack = new AsyncDisposableStack();
    const all = [stack.use(await startNacre(join(directory, "home")))];
    if (hasProgram("ttyd")) all.push(stack.use(await startTtyd()));
    all.push(stack.use(await startNaive()));
    if (hasProgram("tmux")) all.push(stack.use(startTmux()));
    print(await measure(all, flood));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(
  all: readonly Contender[],
  flood: Flood,
): Promise<ReadonlyMap<Contender, Figures>> {
  const figures = new Map(
    all.map((one) => [
      one,
      {
        megabytesPerSecond: [],
        cpuMsPerMegabyte: [],
        laterMsPerMegabyte: [],
        drawnMs: [],
        restMs: [],
        keyMs: [],
      } as Figures,
    ]),
  );
  for (let round = 0; round <= ROUNDS; round++) {
    console.error(round === 0 ? "warming up" : `round ${round} of ${ROUNDS}`);
    for (const [contender, counted] of figures) {
      const measured = await watchFlood(contender, flood);
      const keyMs = contender.name === "tmux attached" ? [] : await pressKeys(contender);
      if (round === 0) continue;
      counted.megabytesPerSecond.push(flood.fileBytes / 1e6 / measured.seconds);
      counted.cpuMsPerMegabyte.push((measured.cpuSeconds * 1e9) / flood.fileBytes);
      counted.laterMsPerMegabyte.push((measured.laterCpuSeconds * 1e9) / flood.fileBytes);
      counted.drawnMs.push(measured.drawnMs);
      counted.restMs.push(measured.restMs);
      counted.keyMs.push(...keyMs);
    }
  }
  return figures;
}

/** Shows the file to one viewer, and checks that every byte arrived. */
async function watchFlood(contender: Contender, flood: Flood) {
  const line = `stty -echo; echo ${READY}; read go; cat '${flood.path}'; echo '${END}'; read end`;
  await using session = await contender.open(line);
  await using viewer = view({ ...session.target, line, bytes: flood.shownBytes, keys: 0 });
  await heard(viewer.child, "ready");
  const pids = await session.pids();
  const work = (): number => pids.reduce((sum, pid) => sum + cpuSeconds(pid), 0);
  const before = work();
  const { seconds, checksum, resyncs } = await viewer.ask("flood");
  const isWhole = checksum === undefined || checksum === flood.checksum;
  if (!isWhole || resyncs > 0) throw new Error(`${contender.name} did not show what was written`);
  const cpuShown = work();
  const from = performance.now();
  await session.whenDrawn?.();
  const drawnMs = performance.now() - from;
  const { cpu, sinceMs } = await whenAtRest(work);
  return {
    seconds,
    cpuSeconds: cpuShown - before,
    laterCpuSeconds: cpu - cpuShown,
    drawnMs,
    restMs: sinceMs - from,
  };
}

async function pressKeys(contender: Contender): Promise<readonly number[]> {
  const line = `stty raw -echo; echo ${READY}; exec cat`;
  await using session = await contender.open(line);
  await using viewer = view({ ...session.target, line, bytes: 0, keys: KEYS });
  await heard(viewer.child, "ready");
  return (await viewer.ask("keys")).times;
}

/** A process that does nothing still uses this much of each second. */
const REST_SHARE = 0.04;

/** For so long nothing may have happened: an index that was left behind by a flood rests for more than a second between two steps. */
const REST_MS = 3000;

/** What goes on behind a viewer that has everything must not slow whoever is next: resolves when nothing does, and since when. */
async function whenAtRest(work: () => number): Promise<{ cpu: number; sinceMs: number }> {
  for (;;) {
    const [sinceMs, before] = [performance.now(), work()];
    await wait(REST_MS);
    const cpu = work();
    const share = (cpu - before) / ((performance.now() - sinceMs) / 1000);
    if (share <= REST_SHARE) return { cpu, sinceMs };
  }
}

/** A viewer in a process of its own. */
function view(task: ViewerTask) {
  const main = join(import.meta.dirname, "throughput-viewer.ts");
  const child = fork(main, [JSON.stringify(task)], { execArgv: ["--conditions=nacre-source"] });
  return {
    child,
    /** Lets it begin, and resolves with what it tells at the end. */
    async ask<Kind extends Told["kind"]>(kind: Kind): Promise<Extract<Told, { kind: Kind }>> {
      const answer = heard(child, kind);
      child.send("go");
      return await answer;
    },
    async [Symbol.asyncDispose](): Promise<void> {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

async function heard<Kind extends Told["kind"]>(
  viewer: ChildProcess,
  kind: Kind,
): Promise<Extract<Told, { kind: Kind }>> {
  const [message] = (await Promise.race([once(viewer, "message"), tooEarly(viewer)])) as [Told];
  if (isOfKind(message, kind)) return message;
  throw new Error(`a viewer told of ${message.kind} instead of ${kind}`);
}

async function tooEarly(viewer: ChildProcess): Promise<never> {
  await once(viewer, "exit");
  throw new Error("a viewer ended before it had everything");
}

const isOfKind = <Kind extends Told["kind"]>(
  told: Told,
  kind: Kind,
): told is Extract<Told, { kind: Kind }> => told.kind === kind;

const verdict = (isMet: boolean): string => (isMet ? "met" : "missed");

function print(figures: ReadonlyMap<Contender, Figures>): void {
  const named = new Map([...figures].map(([{ name }, counted]) => [name, counted]));
  const ours = named.get("nacre")!;
  console.log(`cat of ${FILE_MB} MB on a cooked terminal, one viewer, median of ${ROUNDS} rounds`);
  for (const [{ name, does }, { megabytesPerSecond, cpuMsPerMegabyte }] of figures) {
    const each = megabytesPerSecond.map((rate) => rate.toFixed(0)).join(" ");
    const rate = median(megabytesPerSecond).toFixed(1).padStart(6);
    const cpu = median(cpuMsPerMegabyte).toFixed(1).padStart(5);
    console.log(
      `${name.padEnd(14)} ${rate} MB/s (${each}), ${cpu} ms of processor per MB: ${does}`,
    );
  }
  for (const [name, target] of Object.entries(RATE_TARGETS)) {
    const theirs = named.get(name);
    if (!theirs) {
      console.log(`nacre against ${name}: not compared, it is not installed here`);
      continue;
    }
    const ratio = median(ours.megabytesPerSecond) / median(theirs.megabytesPerSecond);
    console.log(
      `nacre against ${name}: ${ratio.toFixed(2)} × (target ≥ ${target}: ${verdict(ratio >= target)})`,
    );
  }
  const [drawnMs, restMs] = [median(ours.drawnMs), median(ours.restMs)];
  const isDrawn = `(target ≤ ${MAX_DRAWN_MS}: ${verdict(drawnMs <= MAX_DRAWN_MS)})`;
  console.log(`nacre: all is drawn ${drawnMs.toFixed(0)} ms after it was shown ${isDrawn}`);
  const later = median(ours.laterMsPerMegabyte).toFixed(1);
  console.log(
    `nacre: all is indexed after ${restMs.toFixed(0)} ms and ${later} ms more of processor per MB`,
  );
  printKeys(named);
}

function printKeys(named: ReadonlyMap<string, Figures>): void {
  for (const [name, { keyMs }] of named) {
    if (keyMs.length === 0) continue;
    const [p50, p99] = [at(keyMs, 0.5), at(keyMs, 0.99)];
    const isMet = p50 <= MAX_P50_MS && p99 <= MAX_P99_MS;
    const target = `target ≤ ${MAX_P50_MS} and ≤ ${MAX_P99_MS} ms: ${verdict(isMet)}`;
    console.log(
      `key echo, ${name}: p50 ${p50.toFixed(2)} ms, p99 ${p99.toFixed(2)} ms of ${keyMs.length} keys` +
        (name === "nacre" ? ` (${target})` : ""),
    );
  }
  const theirs = named.get("ttyd");
  if (!theirs) return console.log("key echo against ttyd: not compared, it is not installed here");
  const ratioAt = (share: number): number =>
    at(named.get("nacre")!.keyMs, share) / at(theirs.keyMs, share);
  const isMet = ratioAt(0.5) <= MAX_TTYD_TIMES;
  console.log(
    `key echo against ttyd: p50 ${ratioAt(0.5).toFixed(2)} ×, p99 ${ratioAt(0.99).toFixed(2)} × ` +
      `(target ≤ ${MAX_TTYD_TIMES}: ${verdict(isMet)})`,
  );
}
