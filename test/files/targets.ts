import { type Target, times } from "../support/target.ts";
import { measureBesideFifos, measureBesideWait, measureRefusals } from "./latency.ts";
import { writeInParallel } from "./writers.ts";

/** Requests in the whole suite. */
const REQUESTS = 10_000;

/** Times that something is measured in the whole suite. */
const MEASUREMENTS = 3000;

const writing = (id: string, writers: number): Target => ({
  id,
  name: `${writers} writers of one control file, torn and renamed`,
  requirement: "each request once, each answer found, no torn read",
  measure: async ({ scale, seed }) => {
    const requests = times(REQUESTS, scale);
    const { done, answers, torn, reads } = await writeInParallel({ writers, requests, seed });
    const twice = [...done.values()].filter((count) => count !== 1).length;
    const words = `${done.size} of ${requests} done, ${twice} more than once, ${answers} answers, ${torn} of ${reads} reads torn`;
    if (done.size !== requests || twice + torn > 0 || answers !== requests) throw new Error(words);
    return words;
  },
});

/** What control files promise, measured. */
export const fileTargets: readonly Target[] = [
  writing("pair", 2),
  writing("crowd", 20),
  {
    id: "refusal",
    name: "time until something that is no file is `invalid`",
    requirement: "p95 at most 100 ms for each kind",
    measure: ({ scale, progress }) => measureRefusals(times(MEASUREMENTS, scale), progress),
  },
  {
    id: "beside",
    name: "time of `exec` over that of its command, beside a wait that lasts",
    requirement: "p95 below 100 ms",
    measure: ({ scale, progress }) => measureBesideWait(times(MEASUREMENTS, scale), progress),
  },
  {
    id: "fifos",
    name: "time of `exec` with and without 64 FIFOs beside it",
    requirement: "median at most 10 ms more",
    measure: ({ scale, progress }) => measureBesideFifos(times(MEASUREMENTS, scale), progress),
  },
];
