// `npm run test:files`: many agents that write control files at once, in pieces, and how long answers take; `--full` is the whole programme and takes minutes.
import { runFigures } from "../support/run-targets.ts";
import { fileFigures } from "./targets.ts";

/** The part of the whole programme that a short run does. */
const SHORT_SCALE = 0.02;

await runFigures(fileFigures, SHORT_SCALE);
