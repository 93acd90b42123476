// The core in a made-up world, one run per seed: as `npm run test:simulation -- --full`.
import { runShares } from "../simulation/run-shares.ts";
import { type Run, times } from "../support/target.ts";

const FULL_SEEDS = 100_000;

/** With fewer, not everything has to come about. */
const ENOUGH_SEEDS = 1000;

const MAX_NAMED = 20;

/** Runs many seeds; throws when one breaks a promise, or a fault never came about. */
export async function measureSeeds({ scale, progress }: Run): Promise<string> {
  const count = times(FULL_SEEDS, scale);
  const { failed, missed, seconds, workMs } = await runShares(1, count, (done) =>
    progress(done, count),
  );
  const isReached = missed.length === 0 || count < ENOUGH_SEEDS;
  const words = [
    `seeds 1 to ${count} in ${seconds.toFixed(0)} s, ${(workMs / count).toFixed(1)} ms of work each`,
    failed.length === 0
      ? "none fails"
      : `${failed.length} failed, the first ${failed.slice(0, MAX_NAMED).join(" ")}`,
    missed.length === 0 ? "every fault came about" : `never came about: ${missed.join(" ")}`,
  ].join(", ");
  if (failed.length > 0 || !isReached) throw new Error(words);
  return words;
}
