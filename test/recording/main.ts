// `npm run test:recording`: recordings on disks that fail and in files that are changed; `--full` is the whole programme and takes minutes.
import { parseArgs } from "node:util";
import { bundlePrograms } from "./bundle.ts";
import { measureFigures } from "./figure.ts";
import { RECORDING_SOURCES, recordingFigures } from "./figures.ts";

/** A short run does a twentieth of the work. */
const SHORT_SCALE = 0.05;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const scale = values.full ? 1 : SHORT_SCALE;

console.log(`Node ${process.version}, ${values.full ? "full" : "short"} run, seed ${seed}`);
using bundle = await bundlePrograms(RECORDING_SOURCES);
const figures = recordingFigures(bundle).filter(
  ({ id }) => positionals.length === 0 || positionals.includes(id),
);
const missed = await measureFigures(figures, { scale, seed }, (line) => console.log(line));
process.exitCode = missed === 0 ? 0 : 1;
