// `npm run test:daemon`: a daemon whose clients break, stall and attack; `--full` is the whole suite and takes minutes.
import { parseArgs } from "node:util";
import { measureTargets } from "../support/target.ts";
import { daemonTargets } from "./targets.ts";
import { FULL_PLAN, SHORT_PLAN } from "./plan.ts";

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);

console.log(`Node ${process.version}, ${values.full ? "full" : "short"} run, seed ${seed}`);
const targets = daemonTargets(values.full ? FULL_PLAN : SHORT_PLAN).filter(
  ({ id }) => positionals.length === 0 || positionals.includes(id),
);
const missed = await measureTargets(targets, { scale: 1, seed }, (line) => console.log(line));
process.exitCode = missed === 0 ? 0 : 1;
