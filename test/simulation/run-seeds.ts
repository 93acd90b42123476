import { type Sometimes, SOMETIMES } from "./checks.ts";
import type { Plant } from "./plants.ts";
import { type Run, runSeed } from "./run-seed.ts";

/** Which seeds to run. */
export interface SeedsInput {
  readonly seeds: readonly number[];
  readonly descriptor: number;
  readonly plant?: Plant | undefined;
  /** Ends with the first run that breaks this; goes on to the last seed when absent. */
  readonly until?: string | undefined;
}

/** What became of many seeds. */
export interface SeedsResult {
  readonly failed: readonly { readonly seed: number; readonly run: Run }[];
  /** In how many runs each was reached. */
  readonly reached: ReadonlyMap<Sometimes, number>;
  readonly count: number;
}

/** Runs one seed after the other. */
export function runSeeds({ seeds, descriptor, plant, until }: SeedsInput): SeedsResult {
  const failed: { seed: number; run: Run }[] = [];
  const reached = new Map<Sometimes, number>(SOMETIMES.map((id) => [id, 0]));
  let count = 0;
  for (const seed of seeds) {
    const run = runSeed({ seed, descriptor, plant });
    count++;
    for (const id of run.reached) reached.set(id, (reached.get(id) ?? 0) + 1);
    if (!run.violation) continue;
    failed.push({ seed, run });
    if (until !== undefined && run.violation.invariant.startsWith(until)) break;
  }
  return { failed, reached, count };
}
