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
  // The process is this same program.
  return JSON.parse(stdout) as Share;
}

/** What came of many seeds. */
export interface SharesResult {
  readonly failed: readonly number[];
  /** What has to come about at some time, and never did. */
  readonly missed: readonly string[];
  readonly seconds: number;
  readonly workMs: number;
}

/** Runs many seeds in several processes; tells how many are done and how many of them failed. */
export async function runShares(
  first: number,
  count: number,
  tell: (done: number, failed: number) => void,
): Promise<SharesResult> {
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
      tell(done, failed.length);
    }
  };
  await Promise.all(Array.from({ length: availableParallelism() }, work));
  const missed = [...reached].filter(([, times]) => times === 0).map(([id]) => id);
  return { failed, missed, seconds: (performance.now() - startedAt) / 1000, workMs };
}
