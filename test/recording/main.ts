// `npm run test:recording`: recordings on disks that fail and in files that are changed; `--full` is the whole programme and takes minutes.
import { bundlePrograms } from "../support/bundle-programs.ts";
import { RECORDING_SOURCES, recordingFigures } from "./targets.ts";
import { runFigures } from "../support/run-targets.ts";

/** A short run does a twentieth of the work. */
const SHORT_SCALE = 0.05;

using bundle = await bundlePrograms(RECORDING_SOURCES);
await runFigures(recordingFigures(bundle), SHORT_SCALE);
