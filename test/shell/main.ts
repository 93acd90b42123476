// `npm run test:shell`: commands of real shells; `--full` runs 1,000 in each.
import { runTargets } from "../support/run-targets.ts";
import { shellTargets } from "./targets.ts";

/** A short run does a tenth of the work. */
const SHORT_SCALE = 0.1;

await runTargets(shellTargets, SHORT_SCALE);
