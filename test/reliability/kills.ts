// Daemons that are killed, or restarted, while programs of all kinds write and somebody types.
import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../support/random.ts";
import { type Run, times } from "../support/target.ts";
import { waitUntil } from "../support/wait-until.ts";
import { OwnHome } from "./own-home.ts";
import { PROGRAM_KINDS } from "./programs.ts";
import { shareOf } from "./spread.ts";
import { Survivors } from "./survivors.ts";
import { Typist, TYPED } from "./typist.ts";

const LIVES = 200;
const MAX_READY_MS = 2000;
const LOOK_MS = 10;
const MAX_AWAY_MS = 60_000;

/** A daemon is ended at any moment of its work. */
const MAX_LIFE_MS = 500;

/** Ends one life of a daemon and begins the next; gives how long nobody could be asked. */
type NextLife = (home: OwnHome, survivors: Survivors, round: number) => Promise<number>;

/** Kills one daemon after the other; throws when a program noticed, a byte is missing, or a key came not at all or twice. */
export async function measureKills(run: Run): Promise<string> {
  return await measureLives(run, "kills", async (home, survivors, round) => {
    await home.kill();
    await survivors.outlive(round);
    survivors.checkProcesses();
    const startedMs = performance.now();
    await home.start();
    await home.client().listTerminals({});
    return performance.now() - startedMs;
  });
}

/** The same with daemons that are restarted in order: until it is told to end, the old one answers. */
export async function measureRestarts(run: Run): Promise<string> {
  return await measureLives(run, "restarts", async (home, survivors, round) => {
    const away = longestAway(home, home.restart());
    const [awayMs] = await Promise.all([away, survivors.outlive(round)]);
    await home.client().listTerminals({});
    survivors.checkProcesses();
    return awayMs;
  });
}

/** Asks for a terminal again and again until something is done; gives the longest time between two answers. */
async function longestAway(home: OwnHome, work: Promise<void>): Promise<number> {
  const client = home.client();
  let isDone = false;
  const done = work.then(() => {
    isDone = true;
  });
  let answeredMs = performance.now();
  let longestMs = 0;
  const ask = async (): Promise<void> => {
    for (let isLast = false; !isLast; await sleep(LOOK_MS)) {
      const wasDone = isDone;
      const isAnswered = await client.readTerminal({ id: TYPED }).then(
        () => true,
        () => false,
      );
      const nowMs = performance.now();
      if (nowMs - answeredMs > MAX_AWAY_MS) throw new Error("nobody answers any more");
      if (!isAnswered) continue;
      longestMs = Math.max(longestMs, nowMs - answeredMs);
      answeredMs = nowMs;
      isLast = wasDone;
    }
  };
  await Promise.all([done, ask()]);
  return longestMs;
}

async function measureLives(run: Run, word: string, next: NextLife): Promise<string> {
  await using home = new OwnHome();
  try {
    const lived = await liveOn(home, run, next);
    const words = `${lived.readyMs.length} ${word}, ${lived.words}`;
    // A part of the suite runs beside other tests, where time says nothing.
    if (run.scale >= 1 && Math.max(...lived.readyMs) > MAX_READY_MS) throw new Error(words);
    return words;
  } catch (error) {
    throw home.explain(error);
  }
}

async function liveOn(
  home: OwnHome,
  { scale, seed, progress }: Run,
  next: NextLife,
): Promise<{ readonly words: string; readonly readyMs: readonly number[] }> {
  const lives = times(LIVES, scale);
  const random = seededRandom(seed);
  const readyMs: number[] = [];
  await home.start();
  const survivors = new Survivors(home);
  await survivors.start();
  const typist = new Typist(home);
  await typist.start();
  const { keeperPid } = home;
  for (let round = 0; round < lives; round++) {
    await survivors.prepare(round);
    const { takenCount } = typist;
    await waitUntil(() => typist.takenCount > takenCount, { what: "keys are taken" });
    await sleep(random() * MAX_LIFE_MS);
    readyMs.push(await next(home, survivors, round));
    progress(round + 1, lives);
  }
  if (home.keeperPid !== keeperPid) throw new Error("the keeper did not stay the same");
  const keys = await typist.end();
  const bytes = await survivors.end();
  await home.stop();
  await waitUntil(() => home.programs.length === 0 && !home.hasKeeper, {
    what: "everything is gone",
  });
  const words = [
    `${survivors.count} programs of ${PROGRAM_KINDS.length + 1} kinds unharmed`,
    `${(bytes / 1e6).toFixed(0)} MB byte for byte`,
    `${keys} keys once and in order`,
    `no process left`,
    `ready again p50 ${shareOf(readyMs, 0.5).toFixed(0)}, worst ${Math.max(...readyMs).toFixed(0)} ms`,
  ];
  return { words: words.join(", "), readyMs };
}
