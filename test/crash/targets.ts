// What recordings promise about a process that is killed, measured.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Bundle } from "../support/bundle-programs.ts";
import type { Target, Run } from "../support/target.ts";
import { killAtCalls } from "./kill-points.ts";
import { killAtRandom } from "./random-kills.ts";
import { measureRestart } from "./restart-time.ts";

/** How much is done. */
export interface CrashPlan {
  /** Kills at exact system calls. */
  readonly points: number;
  /** Kills at random times. */
  readonly randomKills: number;
  /** What is in the store whose restart is timed. */
  readonly entries: number;
}

/** A host that was killed records again after this, however much is in its store. */
const MAX_RESTART_MS = 2000;

const sourceOf = (name: string): string => join(import.meta.dirname, `${name}.ts`);

export const CRASH_SOURCES = ["victim", "load-victim", "fill-victim", "checker"].map(sourceOf);

async function exactKills(
  bundle: Bundle,
  points: number,
  { seed, progress }: Run,
): Promise<string> {
  const startedAt = performance.now();
  const program = bundle.programOf(sourceOf("victim"));
  const checkerProgram = bundle.programOf(sourceOf("checker"));
  const tally = await killAtCalls({ program, checkerProgram, points, seed, progress });
  const each = (performance.now() - startedAt) / tally.points;
  const calls = [...tally.byCall].map(([call, count]) => `${count} ${call}`).join(", ");
  return `0 of ${tally.recorded} acknowledged entries lost in ${tally.points} kills of ${tally.stores} stores, at ${calls}; ${each.toFixed(0)} ms each`;
}

async function randomKills(
  bundle: Bundle,
  kills: number,
  { seed, progress }: Run,
): Promise<string> {
  const program = bundle.programOf(sourceOf("load-victim"));
  const checkerProgram = bundle.programOf(sourceOf("checker"));
  const tally = await killAtRandom({ program, checkerProgram, kills, seed, progress });
  const longest = Math.max(0, ...tally.startsMs);
  return `0 of ${tally.recorded} acknowledged entries lost in ${tally.kills} kills, ${tally.found} texts found afterwards, recording again after ${longest.toFixed(0)} ms at most`;
}

async function restart(bundle: Bundle, entries: number, { scale }: Run): Promise<string> {
  const programs = {
    fillProgram: bundle.programOf(sourceOf("fill-victim")),
    loadProgram: bundle.programOf(sourceOf("load-victim")),
  };
  const longest = await measureRestart({ ...programs, entries });
  const summary = `${entries} entries: from the start of the process to the first acknowledged entry ${longest.toFixed(0)} ms at most`;
  // Times of a short run may be of a busy machine.
  assert.ok(scale < 1 || longest <= MAX_RESTART_MS, summary);
  return summary;
}

/** The suite, in the order in which it is run and printed. */
export function crashTargets(
  bundle: Bundle,
  { points, randomKills: kills, entries }: CrashPlan,
): Target[] {
  return [
    {
      id: "exact",
      name: "killed at a system call",
      requirement: "0 acknowledged entries lost, 0 missing or twice, all proven",
      measure: (run) => exactKills(bundle, points, run),
    },
    {
      id: "random",
      name: "killed under load",
      requirement: "0 acknowledged entries lost, search works again",
      measure: (run) => randomKills(bundle, kills, run),
    },
    {
      id: "restart",
      name: "recording again after a kill",
      requirement: "≤ 2 s with 1,000,000 entries",
      measure: (run) => restart(bundle, entries, run),
    },
  ];
}
