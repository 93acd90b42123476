// `npm run test:simulation`: the core in a made-up world, one run per seed. `-- --seed N` repeats one, `-- --full` runs 100,000.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { SOMETIMES } from "./checks.ts";
import { PLANTS } from "./plants.ts";
import { prepareProcess } from "./prepare-process.ts";
import { runSeed } from "./run-seed.ts";
import { runSeeds, type SeedsResult } from "./run-seeds.ts";
import { runShares } from "./run-shares.ts";

const SHORT_SEEDS = 1000;
const FULL_SEEDS = 100_000;

const DIGESTS = 30;

/** Within so many seeds a planted fault has to be found. */
const PLANT_SEEDS = 300;

/** Fewer runs need not come across everything. */
const ENOUGH_SEEDS = 1000;

const { values } = parseArgs({
  options: {
    seed: { type: "string" },
    first: { type: "string", default: "1" },
    seeds: { type: "string" },
    full: { type: "boolean", default: false },
    plant: { type: "string" },
    plants: { type: "boolean", default: false },
    share: { type: "boolean", default: false },
    digests: { type: "boolean", default: false },
  },
});

const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** The seeds that found something once, each at the beginning of its line. */
const regressions = readFileSync(join(import.meta.dirname, "regressions.txt"), "utf8")
  .split("\n")
  .map((line) => Number.parseInt(line, 10))
  .filter(Number.isInteger);

function sayFailure(
  seed: number,
  { steps, violation }: SeedsResult["failed"][number]["run"],
): void {
  say(`seed ${seed} breaks "${violation?.message}" after ${steps.length} steps:`);
  for (const step of steps) say(`  ${step}`);
  say(`repeat it with: npm run test:simulation -- --seed ${seed}`);
}

/** Says how it went, and whether that is good. */
function sayResult({ failed, reached, count }: SeedsResult, workMs: number): boolean {
  for (const { seed, run } of failed) sayFailure(seed, run);
  const missed = SOMETIMES.filter((id) => !reached.get(id));
  const mustReach = count >= ENOUGH_SEEDS;
  if (mustReach) for (const id of missed) say(`never came about: ${id}`);
  const rarest = [...reached].toSorted(([, one], [, other]) => one - other).slice(0, 3);
  say(`rarest: ${rarest.map(([id, times]) => `${id} ${times}`).join(", ")}`);
  const perSeed = (workMs / Math.max(1, count)).toFixed(1);
  say(`${count} seeds, ${failed.length} failed, ${perSeed} ms of work per seed`);
  return failed.length === 0 && (!mustReach || missed.length === 0);
}

const countOf = (): number =>
  values.seeds === undefined ? (values.full ? FULL_SEEDS : SHORT_SEEDS) : Number(values.seeds);

if (values.full && !values.share) {
  process.exitCode = (await sayShares(Number(values.first), countOf())) ? 0 : 1;
} else {
  const { descriptor, workMs, enter } = await prepareProcess();
  enter(() => {
    const startMs = workMs();
    if (values.digests) process.exit(sayDigests(descriptor));
    if (values.plants) process.exit(sayPlants(descriptor) ? 0 : 1);
    const plant = values.plant === undefined ? undefined : PLANTS[values.plant];
    const first = Number(values.first);
    const range = Array.from({ length: countOf() }, (_, index) => first + index);
    const isOne = values.seed !== undefined;
    const seeds = isOne ? [Number(values.seed)] : [...(values.share ? [] : regressions), ...range];
    if (!isOne) Error.stackTraceLimit = 0;
    const result = runSeeds({ seeds, descriptor, plant });
    if (values.share)
      say(JSON.stringify({ ...result, reached: [...result.reached], workMs: workMs() - startMs }));
    process.exit(values.share || sayResult(result, workMs() - startMs) ? 0 : 1);
  });
}

/** Runs seeds on all processors and says how it goes; whether that is good. */
async function sayShares(first: number, count: number): Promise<boolean> {
  const { failed, missed, seconds, workMs } = await runShares(first, count, (done, broken) =>
    say(`${done} of ${count} seeds, ${broken} failed`),
  );
  for (const seed of failed) say(`failed: npm run test:simulation -- --seed ${seed}`);
  for (const id of missed) say(`never came about: ${id}`);
  const perSeed = (workMs / count).toFixed(1);
  say(`${count} seeds in ${seconds.toFixed(0)} s, ${perSeed} ms of work per seed`);
  return failed.length === 0 && missed.length === 0;
}

/** Says what stands for each of a few runs. */
function sayDigests(descriptor: number): number {
  for (let seed = 1; seed <= DIGESTS; seed++)
    say(`${seed} ${runSeed({ seed, descriptor }).digest}`);
  return 0;
}

/** Looks for each planted fault; says in how many seeds it was found. */
function sayPlants(descriptor: number): boolean {
  let isGood = true;
  for (const [name, plant] of Object.entries(PLANTS)) {
    const seeds = Array.from({ length: PLANT_SEEDS }, (_, index) => index + 1);
    const { failed, count } = runSeeds({ seeds, descriptor, plant, until: plant.breaks });
    const last = failed.at(-1);
    const found = last?.run.violation?.invariant.startsWith(plant.breaks) ? last : undefined;
    isGood &&= found !== undefined;
    const how = found
      ? `found by seed ${found.seed} of ${count}: ${found.run.violation?.message}`
      : "not found";
    say(`${found ? "✓" : "✗"} ${name.padEnd(18)} ${plant.what}; ${how}`);
  }
  return isGood;
}
