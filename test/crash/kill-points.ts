// Kills a recording program at exact system calls, and checks after each kill that nothing acknowledged was lost.
import { join } from "node:path";
import { ownDirectory } from "../support/own-directory.ts";
import { seededRandom } from "../support/random.ts";
import { countCalls, databaseFiles, FILE_CALLS, type FileCall } from "../support/strace.ts";
import { Checker, lossOf } from "./check-store.ts";
import { KnownStore } from "./known-store.ts";
import { hear } from "./said.ts";
import type { Scenario } from "./scenarios.ts";
import { runTraced } from "./traced-victim.ts";

/** What a run of kill points is made of. */
export interface KillRun {
  /** The victim, ready to be started. */
  readonly program: string;
  /** The checker of stores, ready to be started. */
  readonly checkerProgram: string;
  readonly points: number;
  readonly seed: number;
  readonly progress: (done: number, of: number) => void;
}

/** What the kills showed. */
export interface KillTally {
  points: number;
  recorded: number;
  stores: number;
  /** How often each call was the last. */
  readonly byCall: Map<FileCall, number>;
}

/** So many stores are worked on at once; each keeps about one core busy. */
const LANES = 2;

/** A store is used for so many kills, so that recoveries pile up, and then a new one is begun. */
const POINTS_PER_STORE = 25;

/** The first kills of a store are about making it. */
const FIRST_POINTS = 4;

/** How often each scenario is drawn among the others. */
const SHARES: readonly (readonly [scenario: Scenario, share: number])[] = [
  ["append", 4],
  ["reopen", 3],
  ["remove", 3],
  ["purge", 2],
  ["checkpoint", 0.6],
];

/** One look at every page in so many kills. */
const THOROUGH_EVERY = 20;

/** Where a victim is to be killed. */
interface Point {
  readonly scenario: Scenario;
  readonly call: FileCall;
  readonly number: number;
}

const describe = ({ scenario, call, number }: Point): string =>
  `${scenario}, ${call} number ${number}`;

type Counts = ReadonlyMap<Scenario, ReadonlyMap<FileCall, number>>;

/** Kills at exact system calls; throws when one of the kills cost something. */
export async function killAtCalls(run: KillRun): Promise<KillTally> {
  const counts = await countScenarios(run.program);
  const tally: KillTally = { points: 0, recorded: 0, stores: 0, byCall: new Map() };
  const lane = async (): Promise<void> => {
    using checker = new Checker(run.checkerProgram);
    while (tally.points < run.points) {
      const seed = run.seed * 100_003 + tally.stores++;
      await killOneStore({ ...run, seed, counts, tally, checker });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return tally;
}

/** How often each call happens in each scenario, in a new store and in one that is used. */
async function countScenarios(program: string): Promise<Counts> {
  using own = ownDirectory();
  const directory = own.path;
  const counts = new Map<Scenario, ReadonlyMap<FileCall, number>>();
  const path = join(directory, "recordings.db");
  const log = join(directory, "log");
  const scenarios: Scenario[] = ["open", ...SHARES.map(([scenario]) => scenario)];
  for (const scenario of scenarios) {
    const trace = { files: databaseFiles(path), calls: FILE_CALLS, log };
    const args = [path, "power", scenario, "1"];
    const { code, errors } = await runTraced(program, args, trace);
    if (code !== 0) throw new Error(`the victim fails by itself in ${scenario}: ${errors}`);
    counts.set(scenario, countCalls(log));
  }
  return counts;
}

interface StoreRun extends KillRun {
  readonly checker: Checker;
  readonly counts: Counts;
  readonly tally: KillTally;
}

async function killOneStore({
  program,
  checker,
  points,
  seed,
  counts,
  tally,
  progress,
}: StoreRun): Promise<void> {
  const random = seededRandom(seed);
  using own = ownDirectory();
  const directory = own.path;
  const path = join(directory, "recordings.db");
  const durability = random() < 0.5 ? "process" : "power";
  const known = new KnownStore({ grouped: true });
  try {
    for (let kills = 0; kills < POINTS_PER_STORE && tally.points < points;) {
      const point = drawPoint(random, counts, kills < FIRST_POINTS);
      const inject = `${point.call}:signal=SIGKILL:when=${point.number}`;
      const trace = { files: databaseFiles(path), calls: [point.call], inject };
      const victimSeed = Math.floor(random() * 2 ** 31);
      const args = [path, durability, point.scenario, String(victimSeed)];
      const { lines, signal, code, errors } = await runTraced(program, args, trace);
      for (const line of lines) known.hear(hear(line));
      const isKilled = signal === "SIGKILL" && errors === "";
      const check = { path, asWriter: random() < 0.4, thorough: random() * THOROUGH_EVERY < 1 };
      const problem =
        isKilled || code === 0 ? await checker.check(known, check) : `it failed: ${errors}`;
      if (problem !== undefined) {
        throw lossOf(problem, `kill ${kills + 1} of store ${seed}, ${describe(point)}`, directory);
      }
      if (!isKilled) continue; // It came to its end before the call; another point is drawn.
      kills++;
      tally.byCall.set(point.call, (tally.byCall.get(point.call) ?? 0) + 1);
      progress(++tally.points, points);
    }
  } finally {
    tally.recorded += known.recorded;
  }
}

function drawPoint(random: () => number, counts: Counts, isNew: boolean): Point {
  const scenario = isNew ? "open" : drawScenario(random);
  const calls = [...(counts.get(scenario) ?? [])];
  // Writes are most of what happens, and each of them matters; the others would hardly ever be drawn by their number.
  const drawn = random() < 0.5 ? calls.find(([call]) => call === "pwrite64") : undefined;
  const [call, count] = drawn ?? calls[Math.floor(random() * calls.length)] ?? ["pwrite64", 1];
  return { scenario, call, number: 1 + Math.floor(random() * count) };
}

function drawScenario(random: () => number): Scenario {
  let rest = random() * SHARES.reduce((sum, [, share]) => sum + share, 0);
  return SHARES.find(([, share]) => (rest -= share) < 0)?.[0] ?? "append";
}
