// What a daemon promises about being killed, restarted, loaded and used for long, measured.
import type { Target } from "../support/target.ts";
import { measureClaims } from "./claims.ts";
import { measureKills, measureRestarts } from "./kills.ts";
import { measureLoad } from "./load.ts";
import { measureSeeds } from "./seeds.ts";
import { measureSoak } from "./soak.ts";
import { measureEcho, measureThroughput } from "./throughput.ts";

const TARGET_OF_LIVES =
  "every program unharmed, every byte recorded once, every key that was taken once, no process left, ready within 2 s";

/** The suite, in the order in which it is run and printed. */
export const reliabilityTargets: readonly Target[] = [
  {
    id: "kills",
    count: 200,
    name: "a daemon that is killed while programs of ten kinds write and somebody types",
    requirement: TARGET_OF_LIVES,
    measure: measureKills,
  },
  {
    id: "restarts",
    count: 200,
    name: "a daemon that is restarted meanwhile",
    requirement: TARGET_OF_LIVES,
    measure: measureRestarts,
  },
  {
    id: "load",
    count: 1000,
    name: "a thousand live shells",
    requirement:
      "at most 600 MB and 1 % of a core, at least 75 created per second, echo p99 at most 50 ms beside 100 floods",
    measure: measureLoad,
  },
  {
    id: "claims",
    count: 50_000,
    name: "fifty clients that want one terminal",
    requirement: "never two holders, no byte of who does not hold it",
    measure: measureClaims,
  },
  {
    id: "soak",
    count: 20_000,
    name: "a day of a busy team",
    requirement:
      "20,000 terminals, 2 million entries, 50,000 connections in 20 min: no descriptor, thread or process more, at most 1 MB per 1000 terminals",
    measure: measureSoak,
  },
  {
    id: "seeds",
    count: 100_000,
    name: "the host and the keeper in a made-up world, one run per seed",
    requirement: "no promise broken, every fault came about",
    measure: measureSeeds,
  },
  {
    id: "throughput",
    name: "`cat` of 200 MB to one viewer: kept, recorded, indexed, drawn and shown",
    requirement: "at least 1.0 × ttyd, 0.8 × node-pty with a WebSocket, 1.3 × tmux, in one run",
    measure: measureThroughput,
  },
  {
    id: "echo",
    count: 1500,
    name: "a key that is pressed while nothing else goes on",
    requirement: "shown after p50 2 ms and p99 10 ms at most, p50 at most 1.5 × that of ttyd",
    measure: measureEcho,
  },
];
