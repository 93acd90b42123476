// `npm run test:reliability`: daemons that are killed, restarted, loaded, used for long, made up and compared; `--full` is the whole suite and takes an hour.
import { runTargets } from "../support/run-targets.ts";
import { reliabilityTargets } from "./targets.ts";

/** The part of the whole suite that a short run does. */
const SHORT_SCALE = 0.05;

await runTargets(reliabilityTargets, SHORT_SCALE);
