// `npm run test:recording`: recordings on disks that fail and in files that are changed; `--full` is the whole suite and takes minutes.
import { bundlePrograms } from "../support/bundle-programs.ts";
import { runTargets } from "../support/run-targets.ts";
import { RECORDING_SOURCES, recordingTargets } from "./targets.ts";

/** A short run does a twentieth of the work. */
const SHORT_SCALE = 0.05;

using bundle = await bundlePrograms(RECORDING_SOURCES);
await runTargets(recordingTargets(bundle), SHORT_SCALE);
