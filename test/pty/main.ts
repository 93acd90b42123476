// `npm run test:pty`: the promises about PTYs, measured; `--full` is the whole suite and takes minutes.
import { parseArgs } from "node:util";
import { choosePtyDriver } from "@nacre/host";
import { seededRandom } from "../support/random.ts";
import { measureTargets, type Run } from "../support/target.ts";
import { TARGETS } from "./targets.ts";

/** A short run does a fiftieth of the work. */
const SHORT_SCALE = 0.02;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const scale = values.full ? 1 : SHORT_SCALE;
const driver = await choosePtyDriver();
const selected = TARGETS.filter(({ id }) => positionals.length === 0 || positionals.includes(id));

console.log(
  `${driver.name}, Node ${process.version}, ${values.full ? "full" : "short"} run, seed ${seed}`,
);
const targets = selected.map(({ measure, ...target }) => ({
  ...target,
  measure: ({ progress }: Run) => measure({ driver, scale, random: seededRandom(seed), progress }),
}));
const missed = await measureTargets(targets, { scale, seed }, (line) => console.log(line));
process.exitCode = missed === 0 ? 0 : 1;
