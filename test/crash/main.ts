// `npm run test:crash`: recordings whose process is killed; `--points 10000` is the whole suite and takes half an hour.
import { parseArgs } from "node:util";
import { bundlePrograms } from "../support/bundle-programs.ts";
import { measureTargets } from "../support/target.ts";
import { CRASH_SOURCES, crashTargets } from "./targets.ts";

const SHORT_POINTS = 200;

/** From so many kills on, the restart is timed with a full store. */
const FULL_POINTS = 1000;
const FULL_ENTRIES = 1_000_000;
const SHORT_ENTRIES = 20_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    points: { type: "string", default: String(SHORT_POINTS) },
    random: { type: "string" },
    seed: { type: "string" },
  },
});
const points = Number(values.points);
const randomKills = Number(values.random ?? Math.round(points / 5));
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const entries = points >= FULL_POINTS ? FULL_ENTRIES : SHORT_ENTRIES;

console.log(`Node ${process.version}, ${points} points, ${randomKills} random kills, seed ${seed}`);
using bundle = await bundlePrograms(CRASH_SOURCES);
const targets = crashTargets(bundle, { points, randomKills, entries }).filter(
  ({ id }) => positionals.length === 0 || positionals.includes(id),
);
const missed = await measureTargets(targets, { scale: 1, seed }, (line) => console.log(line));
process.exitCode = missed === 0 ? 0 : 1;
