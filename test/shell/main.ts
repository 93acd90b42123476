// `npm run test:shell`: commands of real shells; `--full` runs 1,000 in each.
import { parseArgs } from "node:util";
import { measureFigures } from "../recording/figure.ts";
import { shellFigures } from "./figures.ts";

/** A short run does a tenth of the work. */
const SHORT_SCALE = 0.1;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const scale = values.full ? 1 : SHORT_SCALE;

console.log(`Node ${process.version}, ${values.full ? "full" : "short"} run, seed ${seed}`);
const figures = shellFigures.filter(
  ({ id }) => positionals.length === 0 || positionals.includes(id),
);
const missed = await measureFigures(figures, { scale, seed }, (line) => console.log(line));
process.exitCode = missed === 0 ? 0 : 1;
