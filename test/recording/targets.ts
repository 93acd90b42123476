// What recordings promise about disks that fail and files that are changed, measured.
import assert from "node:assert/strict";
import { join } from "node:path";
import type { Bundle } from "../support/bundle-programs.ts";
import { OWN_MOUNTS } from "../support/small-disk.ts";
import { startProgram } from "../support/start-program.ts";
import { type Target, type Run, times } from "../support/target.ts";
import { type DamageTally, tryDamages } from "./damage.ts";
import { type Fault, type FaultOutcome, runFault } from "./disk-faults.ts";
import { tryEdits } from "./edit-trials.ts";
import { killMigrations } from "./migration-kills.ts";

const sourceOf = (name: string): string => join(import.meta.dirname, `${name}.ts`);

/** The programs that these targets start. */
export const RECORDING_SOURCES = ["fault-victim", "full-disk-victim", "migration-victim"].map(
  sourceOf,
);

/** So many programs run at once; each keeps about one core busy. */
const LANES = 2;

const FAULT_NUMBERS = 200;
const FAULT_KINDS = [
  { call: "pwrite64", error: "ENOSPC", durability: "process" },
  { call: "pwrite64", error: "EIO", durability: "process" },
  { call: "fsync", error: "EIO", durability: "power" },
] as const;

/** Every so many faults several calls in a row fail, so that a recovery fails, too. */
const LONG_FAULT_EVERY = 5;
const LONG_FAULT_CALLS = 4;

function faultsOf(scale: number): Fault[] {
  const step = Math.max(1, Math.floor(1 / scale));
  const numbers = Array.from({ length: FAULT_NUMBERS }, (_, index) => index + 1).filter(
    (number) => number % step === 1 % step,
  );
  return FAULT_KINDS.flatMap((kind) =>
    numbers.map((number, index) => ({
      ...kind,
      number,
      count: index % LONG_FAULT_EVERY === LONG_FAULT_EVERY - 1 ? LONG_FAULT_CALLS : 1,
    })),
  );
}

/** A fault is reported within this time. */
const MAX_REPORT_MS = 1000;

async function diskFaults(bundle: Bundle, { scale, progress }: Run): Promise<string> {
  const faults = faultsOf(scale);
  const program = bundle.programOf(sourceOf("fault-victim"));
  const outcomes: FaultOutcome[] = [];
  const waiting = [...faults];
  const lane = async (): Promise<void> => {
    for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
      outcomes.push(await runFault(program, fault));
      progress(outcomes.length, faults.length);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  const count = (test: (outcome: FaultOutcome) => boolean) => outcomes.filter(test).length;
  const lostBytes = outcomes.reduce((sum, outcome) => sum + outcome.lostBytes, 0);
  const longest = Math.max(0, ...outcomes.map(({ reportedAfterMs }) => reportedAfterMs ?? 0));
  const words = `${outcomes.length} faults: ${count(({ degraded }) => degraded)} reported, after ${longest.toFixed(0)} ms at most, ${count(({ refused }) => refused)} refused at the start, ${count(({ degraded, refused }) => !degraded && !refused)} without consequence; ${lostBytes} bytes in gaps, all others there`;
  // Times of a short run may be of a busy machine.
  assert.ok(scale < 1 || longest <= MAX_REPORT_MS, words);
  return words;
}

const FULL_DISK_CASES = ["full", "floor", "removal", "purged", "restart"];

async function fullDisk(bundle: Bundle, { progress }: Run): Promise<string> {
  const said: string[] = [];
  for (const name of FULL_DISK_CASES) {
    const options = { before: OWN_MOUNTS };
    const program = bundle.programOf(sourceOf("full-disk-victim"));
    const { lines, code, errors } = await startProgram(program, [name], options).ended;
    assert.equal(code, 0, `${name}: ${errors}`);
    said.push(...lines);
    progress(said.length, FULL_DISK_CASES.length);
  }
  return said.join("; ");
}

function edits({ scale, seed, progress }: Run): Promise<string> {
  const trials = times(10_000, scale);
  const { found, withoutEffect, missed } = tryEdits({ trials, seed, progress });
  const examples = [...missed].map(
    ([name, { count, example }]) => `${name} (${count}×, ${example})`,
  );
  assert.equal(missed.size, 0, `not found: ${examples.join("; ")}`);
  return Promise.resolve(`${found} of ${trials - withoutEffect} edits found, each at its entry`);
}

function damages({ scale, seed, progress }: Run): Promise<string> {
  const trials = times(1000, scale);
  const tally: DamageTally = tryDamages({ trials, seed, progress });
  assert.deepEqual(tally.wrong, []);
  return Promise.resolve(
    `${trials} damages: ${tally.found} noticed, ${tally.harmless} harmless, ${tally.shortened} cut the log off, ${tally.unsealed} took a seal; never a wrong byte as good`,
  );
}

async function migrations(bundle: Bundle, { scale, progress }: Run): Promise<string> {
  const program = bundle.programOf(sourceOf("migration-victim"));
  const callsOfKind = times(1000, scale ** 2);
  const tally = await killMigrations({ program, callsOfKind, progress });
  return `${tally.failedStatements} statements failed, ${tally.killedStatements} statements and ${tally.killedCalls} system calls were the last: ${tally.old} times the old schema was left, otherwise the new one`;
}

/** The suite, in the order in which it is run and printed. */
export const recordingTargets = (bundle: Bundle): Target[] => [
  {
    id: "faults",
    name: "a disk that fails",
    requirement: "reported in 1 s, gaps exact, recovers, strict loses nothing",
    measure: (run) => diskFaults(bundle, run),
  },
  {
    id: "full",
    name: "a disk that is full",
    requirement: "gaps exact, removing works, recovers without restart",
    measure: (run) => fullDisk(bundle, run),
  },
  {
    id: "edits",
    name: "a recording that was edited",
    requirement: "100 % found, at its entry",
    measure: edits,
  },
  {
    id: "damage",
    name: "a file that was damaged",
    requirement: "never a wrong byte as good",
    measure: damages,
  },
  {
    id: "schema",
    name: "a migration that ends early",
    requirement: "the old schema or the new one",
    measure: (run) => migrations(bundle, run),
  },
];
