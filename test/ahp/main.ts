// `npm run test:ahp`: clients of the Agent Host Protocol that are cut, and random histories; `--full` is the whole suite and takes minutes.
import { runTargets } from "../support/run-targets.ts";
import { ahpTargets } from "./targets.ts";

/** The part of the whole suite that a short run does. */
const SHORT_SCALE = 0.04;

await runTargets(ahpTargets, SHORT_SCALE);
