// What a daemon promises about secrets, broken connections, readers that stall, attacks and its end, measured.
import type { Target } from "../support/target.ts";
import { throwBombs } from "./bombs.ts";
import { lookForSecrets } from "./canaries.ts";
import { breakConnections } from "./disconnects.ts";
import { endUnderLoad } from "./ending.ts";
import type { DaemonPlan } from "./plan.ts";
import { floodStalledViewers } from "./stalled-viewers.ts";
import { answerAtRandom } from "./timed-answers.ts";

/** The suite, in the order in which it is run and printed. */
export const daemonTargets = (plan: DaemonPlan): Target[] => [
  {
    id: "secrets",
    name: "secrets on every way in",
    requirement: "no trace of one",
    measure: () => lookForSecrets(),
  },
  {
    id: "timings",
    name: "secrets at random moments",
    requirement: "no trace of one: typed unseen, or refused",
    measure: (run) => answerAtRandom(plan, run),
  },
  {
    id: "breaks",
    name: "connections that break",
    requirement: "every entry and every byte once",
    measure: (run) => breakConnections(plan, run),
  },
  {
    id: "stalls",
    name: "viewers that do not read",
    requirement: "at most 64 MB, nobody waits, nothing missing",
    measure: () => floodStalledViewers(plan),
  },
  {
    id: "attacks",
    name: "attacks while somebody works",
    requirement: "99 % of lists in 100 ms, at most 32 MB, no socket left open",
    measure: () => throwBombs(plan),
  },
  {
    id: "ending",
    name: "told to end under load",
    requirement: "within 6 s, every end recorded",
    measure: () => endUnderLoad(plan),
  },
];
