import { execFile } from "node:child_process";
import { availableParallelism } from "node:os";
import { promisify } from "node:util";
import { SOMETIMES } from "./checks.ts";

/** So many seeds are one process: it says soon how it goes, and its memory goes with it. */
const SHARE_SEEDS = 1000;

/** What a process says of its share. */
interface Share {
  readonly failed: readonly {
    readonly seed: number;
    readonly run: { readonly steps: readonly string[] };
  }[];
  readonly reached: readonly (readonly [string, number])[];
  readonly count: number;
  readonly workMs: number;
}

const run = promisify(execFile);

async function runShare(first: number, seeds: number): Promise<Share> {
  const main = new URL("main.ts", import.meta.url).pathname;
  const args = ["--max-semi-space-size=64", "--conditions=nacre-source", main, "--share"];
  const range = ["--first", String(first), "--seeds", String(seeds)];
  const { stdout } = await run(process.execPath, [...args, ...range], { maxBuffer: 2 ** 28 });
  // The process is this same programme.
  return JSON.parse(stdout) as Share;
}

/** Runs many seeds in several processes; tells whether all is well. */
export async function runShares(
  first: number,
  count: number,
  say: (line: string) => void,
): Promise<boolean> {
  const startedAt = performance.now();
  const reached = new Map<string, number>(SOMETIMES.map((id) => [id, 0]));
  const failed: number[] = [];
  let [next, done, workMs] = [first, 0, 0];
  const work = async (): Promise<void> => {
    while (next < first + count) {
      const start = next;
      next += SHARE_SEEDS;
      const share = await runShare(start, Math.min(SHARE_SEEDS, first + count - start));
      for (const { seed } of share.failed) failed.push(seed);
      for (const [id, times] of share.reached) reached.set(id, (reached.get(id) ?? 0) + times);
      done += share.count;
      workMs += share.workMs;
      say(`${done} of ${count} seeds, ${failed.length} failed`);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const missed = [...reached].filter(([, times]) => times === 0).map(([id]) => id);
  for (const seed of failed) say(`failed: npm run test:simulation -- --seed ${seed}`);
  for (const id of missed) say(`never came about: ${id}`);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  say(`${done} seeds in ${seconds} s, ${(workMs / done).toFixed(1)} ms of work per seed`);
  return failed.length === 0 && missed.length === 0;
}
