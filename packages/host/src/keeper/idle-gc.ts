import { collectGarbage } from "../base/collect-garbage.ts";

/** How often it is looked whether it is quiet. */
const LOOK_MS = 5000;

/** Whoever works less than this from one look to the next is quiet: hardly anybody notices the tens of milliseconds of a collection. */
const QUIET_MS = 50;

/** After so much work there is something to collect. */
const WORTH_MS = 500;

export interface IdleGcDeps {
  /** How long the process has worked. */
  readonly workedMs: () => number;
  /** Gives memory back that is not used any more. */
  readonly collect: () => Promise<void>;
}

/** Lets a process that is there for months give back what it used for a while; V8 by itself waits until it needs more. */
export function collectWhenIdle({ workedMs, collect }: IdleGcDeps = THIS_PROCESS): NodeJS.Timeout {
  let lookedMs = workedMs();
  let collectedMs = 0;
  return setInterval(() => {
    const nowMs = workedMs();
    const isQuiet = nowMs - lookedMs < QUIET_MS;
    lookedMs = nowMs;
    if (!isQuiet || nowMs - collectedMs < WORTH_MS) return;
    // A collection is work itself.
    void collect().then(() => (lookedMs = collectedMs = workedMs()));
  }, LOOK_MS).unref();
}

const THIS_PROCESS: IdleGcDeps = {
  workedMs: () => {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1000;
  },
  collect: collectGarbage,
};
