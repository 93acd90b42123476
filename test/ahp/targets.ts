// What is promised to clients of the Agent Host Protocol, measured.
import { type Target, times } from "../support/target.ts";
import { subscribeInFloods } from "./floods.ts";
import { compareHistories } from "./histories.ts";
import { cutAndReconnect } from "./reconnecting.ts";

/** Connections that are cut in the whole suite. */
const CUTS = 1000;

/** Random histories in the whole suite. */
const HISTORIES = 200;

/** The suite, in the order in which it is run and printed. */
export const ahpTargets: readonly Target[] = [
  {
    id: "cuts",
    name: "connections cut at random moments of a flood",
    requirement: "every action once",
    measure: (run) => cutAndReconnect(times(CUTS, run.scale), run),
  },
  {
    id: "mirrors",
    name: "random histories of a terminal",
    requirement: "snapshot and actions make what a fresh snapshot says",
    measure: (run) => compareHistories(times(HISTORIES, run.scale), run),
  },
  {
    id: "floods",
    name: "subscriptions in the middle of floods that never end",
    requirement: "answered within 1 s on a quiet machine, in bounded memory, while others follow",
    measure: (run) => subscribeInFloods(run),
  },
];
