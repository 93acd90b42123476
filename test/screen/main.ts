// `npm run test:screen`: screens against tmux, hostile output and recordings of real programs; `--full` is the whole suite and takes minutes.
import { parseArgs } from "node:util";
import { measureTargets } from "../support/target.ts";
import { tmuxVersion } from "../support/tmux-control.ts";
import { SCREEN_TARGETS } from "./targets.ts";

/** A short run does a twentieth of the work. */
const SHORT_SCALE = 0.05;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const scale = values.full ? 1 : SHORT_SCALE;

console.log(
  `Node ${process.version}, ${tmuxVersion()}, ${values.full ? "full" : "short"} run, seed ${seed}`,
);
const targets = SCREEN_TARGETS.filter(
  ({ id }) => positionals.length === 0 || positionals.includes(id),
);
const missed = await measureTargets(targets, { scale, seed }, (line) => console.log(line));
process.exitCode = missed === 0 ? 0 : 1;
