// `npm run test:ahp`: clients of the Agent Host Protocol that are cut, and random histories; `--full` is the whole programme and takes minutes.
import { runFigures } from "../support/run-targets.ts";
import { ahpFigures } from "./targets.ts";

/** The part of the whole programme that a short run does. */
const SHORT_SCALE = 0.04;

await runFigures(ahpFigures, SHORT_SCALE);
