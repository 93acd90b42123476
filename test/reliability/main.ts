// `npm run test:reliability`: daemons that are killed, restarted, loaded, used for long, made up and compared; `--full` is the whole programme and takes an hour.
import { runFigures } from "../support/run-targets.ts";
import { reliabilityFigures } from "./targets.ts";

/** The part of the whole programme that a short run does. */
const SHORT_SCALE = 0.05;

await runFigures(reliabilityFigures, SHORT_SCALE);
