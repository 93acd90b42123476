// `npm run test:files`: many agents that write control files at once, in pieces; `--full` is the whole programme and takes minutes.
import { parseArgs } from "node:util";
import { type Figure, measureFigures, times } from "../recording/figure.ts";
import { writeInParallel } from "./writers.ts";

/** The part of the whole programme that a short run does. */
const SHORT_SCALE = 0.02;

/** Requests in the whole programme. */
const REQUESTS = 10_000;

const writing = (id: string, writers: number): Figure => ({
  id,
  name: `${writers} writers of one control file, torn and renamed`,
  target: "each request once, each answer found, no torn read",
  measure: async ({ scale, seed }) => {
    const requests = times(REQUESTS, scale);
    const { done, answers, torn, reads } = await writeInParallel({ writers, requests, seed });
    const twice = [...done.values()].filter((count) => count !== 1).length;
    const words = `${done.size} of ${requests} done, ${twice} more than once, ${answers} answers, ${torn} of ${reads} reads torn`;
    if (done.size !== requests || twice + torn > 0 || answers !== requests) throw new Error(words);
    return words;
  },
});

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { full: { type: "boolean", default: false }, seed: { type: "string" } },
});
const seed = Number(values.seed ?? Date.now() % 1_000_000);
const scale = values.full ? 1 : SHORT_SCALE;

console.log(`Node ${process.version}, ${values.full ? "full" : "short"} run, seed ${seed}`);
const figures = [writing("pair", 2), writing("crowd", 20)].filter(
  ({ id }) => positionals.length === 0 || positionals.includes(id),
);
const missed = await measureFigures(figures, { scale, seed }, (line) => console.log(line));
process.exitCode = missed === 0 ? 0 : 1;
