// `npm run test:shell`: commands of real shells; `--full` runs 1,000 in each.
import { runFigures } from "../support/run-targets.ts";
import { shellFigures } from "./targets.ts";

/** A short run does a tenth of the work. */
const SHORT_SCALE = 0.1;

await runFigures(shellFigures, SHORT_SCALE);
