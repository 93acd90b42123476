import { collectGarbage } from "../base/collect-garbage.ts";

/** Interval of idle checks. */
const LOOK_MS = 5000;

/** Less CPU time than this between two checks is idle: nobody notices the tens of milliseconds of a collection. */
const QUIET_MS = 50;

/** After this much CPU time there is something to collect. */
const WORTH_MS = 500;

export interface IdleGcDeps {
  /** CPU time. */
  readonly workedMs: () => number;
  /** Returns unused memory to the system. */
  readonly collect: () => Promise<void>;
}

/** Lets a process that runs for months return what it used for a while; V8 by itself waits until it needs more. */
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
