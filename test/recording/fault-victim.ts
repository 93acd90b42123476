// Records on a disk whose calls fail now and then: `fault-victim <directory> <durability>`; says at the end what became of it.
import { writeSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import {
  Recordings,
  type RecordingsOptions,
} from "../../packages/host/src/recording/recordings.ts";
import type { Durability } from "../../packages/host/src/store/store.ts";
import { terminalOf, uidOf } from "../support/numbered-entries.ts";
import { seededRandom } from "../support/random.ts";
import type { FaultReport, OfferedTerminal, StateChange } from "./fault-said.ts";
import { Offering } from "./offering.ts";

/** It records for so many rounds when no fault comes, each with a commit or more of its own. */
const ROUNDS = 260;

/** It goes on for so many rounds after a fault is over. */
const ROUNDS_AFTER = 12;

/** A program that puts out while nothing can be recorded does so this often. */
const DEGRADED_ROUND_MS = 10;

const MAX_OUTPUT_BYTES = 3000;

const [directory = "", durability = "process"] = process.argv.slice(2);
const random = seededRandom(7);
const states: StateChange[] = [];
const reportedGaps: Record<string, number> = {};

const options: RecordingsOptions = {
  directory,
  durability: durability as Durability,
  floorBytes: 0,
  handleState: (state) => states.push({ ...state, at: Date.now() }),
  handleEntry: (entry) => {
    if (entry.type !== "gap") return;
    const uid = uidOf(entry.terminalId);
    reportedGaps[uid] = (reportedGaps[uid] ?? 0) + (entry.lostBytes ?? Number.NaN);
  },
};

function finish(terminals: readonly OfferedTerminal[], refusal?: Error): never {
  const refusals = refusal === undefined ? [] : [String(refusal)];
  const report: FaultReport = { terminals, states, refusals, reportedGaps };
  writeSync(1, `${JSON.stringify(report)}\n`);
  process.exit();
}

const recordings = await Recordings.open(options).catch((error: Error) => finish([], error));
const offerings: Offering[] = [];
for (const [uid, strict] of [
  ["lossy1", false],
  ["lossy2", false],
  ["strict", true],
] as const) {
  // A fault that comes first refuses the terminal, and nothing of it is recorded.
  const recording = await recordings.create(terminalOf(uid), { strict }).catch((error: Error) =>
    finish(
      offerings.map((one) => one.report()),
      error,
    ),
  );
  offerings.push(new Offering(uid, recording, { strict }));
}
let roundsAfter = 0;
for (let round = 0; round < ROUNDS && roundsAfter < ROUNDS_AFTER;) {
  const isDegraded = recordings.state.state === "degraded";
  for (const offering of offerings) {
    const count = Math.floor(random() * 4);
    for (let index = 0; index < count; index++) {
      offering.offer(1 + Math.floor(random() * MAX_OUTPUT_BYTES));
    }
  }
  if (isDegraded) await wait(DEGRADED_ROUND_MS);
  else {
    await Promise.race([
      Promise.all(offerings.map((offering) => offering.settled())),
      wait(DEGRADED_ROUND_MS),
    ]);
    round++;
    if (states.length > 0) roundsAfter++;
  }
}
await Promise.all(offerings.map((offering) => offering.settled()));
const terminals = offerings.map((offering) => offering.report());
await recordings[Symbol.asyncDispose]();
finish(terminals);
