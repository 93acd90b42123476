// `npm run test:ahp`: clients of the Agent Host Protocol that are cut, and random histories; `--full` is the whole programme and takes minutes.
import { parseArgs } from "node:util";
import { measureFigures } from "../recording/figure.ts";
import { ahpFigures } from "./figures.ts";

/** The part of the whole programme that a short run does. */
const SHORT_SCALE = 0.04;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const scale = values.full ? 1 : SHORT_SCALE;

console.log(`Node ${process.version}, ${values.full ? "full" : "short"} run, seed ${seed}`);
const figures = ahpFigures.filter(({ id }) => positionals.length === 0 || positionals.includes(id));
const missed = await measureFigures(figures, { scale, seed }, (line) => console.log(line));
process.exitCode = missed === 0 ? 0 : 1;
