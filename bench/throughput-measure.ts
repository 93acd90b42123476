// One program's output to one viewer: the whole daemon beside programs that do part of what it does, in turns so that a noisy machine is noisy for all.
import { type ChildProcess, fork, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { cpuSeconds } from "./processes.ts";
import {
  BARE_LAYOUT,
  type Contender,
  startBare,
  startNacre,
  startNaive,
  startTmux,
  startTtyd,
} from "./throughput-contenders.ts";
import { type Flood, writeFlood } from "./throughput-text.ts";
import { END, READY, type Told, type ViewerTask } from "./throughput-task.ts";
import { isOfKind, tooEarly } from "./viewer-told.ts";

/** How much is measured. */
export interface Plan {
  /** How often; once more before, which does not count, because code is compiled then. */
  readonly rounds: number;
  /** How long the text is; 0 for none. */
  readonly megabytes: number;
  /** How many keys are pressed in a round. */
  readonly keys: number;
  /** Whether a round waits until nothing goes on any more. */
  readonly rests: boolean;
  readonly tell: (line: string) => void;
}

/** What was measured of one contender, in all rounds. */
export interface Figures {
  readonly does: string;
  readonly megabytesPerSecond: number[];
  readonly cpuMsPerMegabyte: number[];
  /** What was left to be done when the viewer had everything. */
  readonly laterMsPerMegabyte: number[];
  /** How long it drew on, and worked on in all, after the viewer had everything. */
  readonly drawnMs: number[];
  readonly restMs: number[];
  readonly keyMs: number[];
}

/** The value below which this share of all values is. */
export const at = (values: readonly number[], share: number): number =>
  values.toSorted((one, other) => one - other)[Math.floor(values.length * share)] ?? Number.NaN;

export const median = (values: readonly number[]): number => at(values, 0.5);

const hasProgram = (name: string): boolean => spawnSync("which", [name]).status === 0;

/** Measures all that are installed here; what was measured by name. */
export async function measureContenders(plan: Plan): Promise<ReadonlyMap<string, Figures>> {
  const directory = mkdtempSync(join(tmpdir(), "nacre-bench-"));
  try {
    const flood =
      plan.megabytes > 0 ? writeFlood(join(directory, "text"), plan.megabytes * 1e6) : undefined;
    await using stack = new AsyncDisposableStack();
    const all = [stack.use(await startNacre(join(directory, "home")))];
    if (hasProgram("ttyd")) all.push(stack.use(await startTtyd()));
    all.push(stack.use(await startNaive()));
    if (hasProgram("tmux")) all.push(stack.use(startTmux()));
    if (plan.keys > 0) all.push(stack.use(await startBare()));
    const figures = await measure(all, flood, plan);
    return new Map([...figures].map(([{ name }, counted]) => [name, counted]));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function measure(
  all: readonly Contender[],
  flood: Flood | undefined,
  { rounds, keys, rests, tell }: Plan,
): Promise<ReadonlyMap<Contender, Figures>> {
  const figures = new Map(all.map((one) => [one, emptyFigures(one.does)]));
  for (let round = 0; round <= rounds; round++) {
    tell(round === 0 ? "warming up" : `round ${round} of ${rounds}`);
    for (const [contender, counted] of figures) {
      const isFlooded = flood && contender.name !== BARE_LAYOUT;
      const measured = isFlooded && (await watchFlood(contender, flood, rests));
      const isAsked = keys > 0 && contender.name !== "tmux attached";
      const keyMs = isAsked ? await pressKeys(contender, keys) : [];
      if (round === 0) continue;
      counted.keyMs.push(...keyMs);
      if (flood && measured) note(counted, flood.fileBytes / 1e6, measured);
    }
  }
  return figures;
}

const emptyFigures = (does: string): Figures => ({
  does,
  megabytesPerSecond: [],
  cpuMsPerMegabyte: [],
  laterMsPerMegabyte: [],
  drawnMs: [],
  restMs: [],
  keyMs: [],
});

function note(
  counted: Figures,
  megabytes: number,
  measured: Awaited<ReturnType<typeof watchFlood>>,
): void {
  counted.megabytesPerSecond.push(megabytes / measured.seconds);
  counted.cpuMsPerMegabyte.push((measured.cpuSeconds * 1000) / megabytes);
  counted.laterMsPerMegabyte.push((measured.laterCpuSeconds * 1000) / megabytes);
  counted.drawnMs.push(measured.drawnMs);
  counted.restMs.push(measured.restMs);
}

/** Shows the file to one viewer, and checks that every byte arrived. */
async function watchFlood(contender: Contender, flood: Flood, rests: boolean) {
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
  const { cpu, sinceMs } = rests ? await whenAtRest(work) : { cpu: cpuShown, sinceMs: from };
  return {
    seconds,
    cpuSeconds: cpuShown - before,
    laterCpuSeconds: cpu - cpuShown,
    drawnMs,
    restMs: sinceMs - from,
  };
}

async function pressKeys(contender: Contender, keys: number): Promise<readonly number[]> {
  const line = `stty raw -echo; echo ${READY}; exec cat`;
  await using session = await contender.open(line);
  await using viewer = view({ ...session.target, line, bytes: 0, keys });
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
