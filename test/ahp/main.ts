// `npm run test:ahp`: clients of the Agent Host Protocol that are cut, and random histories; `--full` is the whole programme and takes minutes.
import { runFigures } from "../recording/run-figures.ts";
import { ahpFigures } from "./figures.ts";

/** The part of the whole programme that a short run does. */
const SHORT_SCALE = 0.04;

await runFigures(ahpFigures, SHORT_SCALE);
