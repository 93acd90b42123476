// `npm run test:shell`: commands of real shells; `--full` runs 1,000 in each.
import { runFigures } from "../recording/run-figures.ts";
import { shellFigures } from "./figures.ts";

/** A short run does a tenth of the work. */
const SHORT_SCALE = 0.1;

await runFigures(shellFigures, SHORT_SCALE);
