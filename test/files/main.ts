// `npm run test:files`: many agents that write control files at once, in pieces, and how long answers take; `--full` is the whole suite and takes minutes.
import { runTargets } from "../support/run-targets.ts";
import { fileTargets } from "./targets.ts";

/** The part of the whole suite that a short run does. */
const SHORT_SCALE = 0.02;

await runTargets(fileTargets, SHORT_SCALE);
