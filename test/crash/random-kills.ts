// Kills whole sets of recordings under load at random times; the next start is the check of the one before.
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { factOf, needleOf } from "../support/numbered-entries.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { seededRandom } from "../support/random.ts";
import { startProgram } from "../support/start-program.ts";
import { Checker, lossOf } from "./check-store.ts";
import { KnownStore } from "./known-store.ts";
import { hear, type Said } from "./said.ts";

/** What a run of random kills is made of. */
export interface RandomKillRun {
  /** The victim under load, ready to be started. */
  readonly program: string;
  /** The checker of stores, ready to be started. */
  readonly checkerProgram: string;
  readonly kills: number;
  readonly seed: number;
  readonly progress: (done: number, of: number) => void;
}

/** What the kills showed. */
export interface RandomKillTally {
  kills: number;
  recorded: number;
  /** Texts that were looked for after a kill, and found. */
  found: number;
  /** From the start of a victim to its first acknowledged entries, in ms, of all that came so far. */
  readonly startsMs: number[];
}

/** So many stores are worked on at once; each keeps about one core busy. */
const LANES = 2;

/** A store is used for so many kills, so that recoveries pile up, and then a new one is begun. */
const KILLS_PER_STORE = 20;

/** How long a victim is under load before it is killed, at most. */
const MAX_LOAD_MS = 500;

/** Some are killed while they still start, which takes about this long. */
const EARLY_SHARE = 0.25;
const MAX_EARLY_MS = 250;

/** So many entries are looked for after a start that is checked, which is one of so many. */
const LOOKS = 3;
const LOOK_EVERY = 4;

const THOROUGH_EVERY = 10;

/** Kills under load at random times; throws when one of the kills cost something. */
export async function killAtRandom(run: RandomKillRun): Promise<RandomKillTally> {
  const tally: RandomKillTally = { kills: 0, recorded: 0, found: 0, startsMs: [] };
  let stores = 0;
  const lane = async (): Promise<void> => {
    using checker = new Checker(run.checkerProgram);
    while (tally.kills < run.kills) {
      await killOneStore({ ...run, seed: run.seed * 100_003 + stores++, tally, checker });
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return tally;
}

interface StoreRun extends RandomKillRun {
  readonly tally: RandomKillTally;
  readonly checker: Checker;
}

async function killOneStore(run: StoreRun): Promise<void> {
  const { program, seed, tally, checker } = run;
  const random = seededRandom(seed);
  using own = ownDirectory();
  const directory = own.path;
  const path = join(directory, "recordings.db");
  const durability = random() < 0.3 ? "power" : "process";
  const known = new KnownStore({ grouped: false });
  try {
    for (let kill = 0; kill < KILLS_PER_STORE && tally.kills < run.kills; kill++) {
      const isLooked = kill % LOOK_EVERY === LOOK_EVERY - 1;
      const thorough = random() * THOROUGH_EVERY < 1;
      const problem =
        (await killOnce({ program, directory, durability, known, random, isLooked, tally })) ??
        (await checker.check(known, { path, asWriter: false, thorough }));
      if (problem !== undefined)
        throw lossOf(problem, `kill ${kill + 1} of store ${seed}`, directory);
      run.progress(++tally.kills, run.kills);
    }
  } finally {
    tally.recorded += known.recorded;
  }
}

interface Kill {
  readonly program: string;
  readonly directory: string;
  readonly durability: string;
  readonly known: KnownStore;
  readonly random: () => number;
  readonly isLooked: boolean;
  readonly tally: RandomKillTally;
}

/** Starts a victim and kills it; says what it found wrong with what the one before left. */
async function killOnce({
  program,
  directory,
  durability,
  known,
  random,
  isLooked,
  tally,
}: Kill): Promise<string | undefined> {
  const looks = isLooked ? drawLooks(known, random) : [];
  const isEarly = looks.length === 0 && random() < EARLY_SHARE;
  const delayMs = random() * (isEarly ? MAX_EARLY_MS : MAX_LOAD_MS);
  const problems: string[] = [];
  const ready = Promise.withResolvers<void>();
  const startedAt = performance.now();
  const args = [directory, String(Math.floor(random() * 2 ** 31)), durability];
  const lookArgs = looks.map(({ uid, sequence }) => `--look=${uid}:${sequence}`);
  const victim = startProgram(program, [...args, ...lookArgs], {
    handleLine: (line) => {
      const said = hear(line);
      known.hear(said);
      problems.push(...problemsIn(said, looks));
      if (said.say === "found") tally.found++;
      if (said.say !== "ready") return;
      if (looks.length === 0) tally.startsMs.push(performance.now() - startedAt);
      ready.resolve();
    },
  });
  await Promise.race([isEarly ? undefined : ready.promise, victim.ended]);
  await Promise.race([wait(delayMs), victim.ended]);
  victim.kill();
  const { signal, errors } = await victim.ended;
  if (signal !== "SIGKILL" || errors !== "") return `the victim ended by itself: ${errors}`;
  return problems[0];
}

interface Look {
  readonly uid: string;
  readonly sequence: number;
}

/** Entries with output that must be found. */
function drawLooks(known: KnownStore, random: () => number): Look[] {
  const looks: Look[] = [];
  for (const { uid, firstSequence, through } of known.aliveTerminals()) {
    const count = through - firstSequence + 1;
    const sequence = firstSequence + Math.floor(random() * count);
    const isOutput = count > 0 && factOf(uid, sequence).type === "output";
    if (isOutput && looks.length < LOOKS) looks.push({ uid, sequence });
  }
  return looks;
}

function problemsIn(said: Said, looks: readonly Look[]): string[] {
  if (said.say === "verified") {
    return said.problem === undefined ? [] : [`${said.uid} does not verify: ${said.problem}`];
  }
  if (said.say !== "found") return [];
  const wanted = looks.find(({ uid, sequence }) => needleOf(uid, sequence) === said.text)?.sequence;
  const isFound = said.sequences.length === 1 && said.sequences[0] === wanted;
  return isFound ? [] : [`${said.text} was found at ${JSON.stringify(said.sequences)}`];
}
