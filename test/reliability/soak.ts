// A long time of use in a short one: many terminals that come and go, many entries and many connections, and what of it stays.
import { setTimeout as sleep } from "node:timers/promises";
import type { NacreClient } from "@nacre/client";
import { collectGarbage, INSPECTABLE } from "../support/garbage-collection.ts";
import type { Run } from "../support/target.ts";
import { waitUntil } from "../support/wait-until.ts";
import { OwnHome } from "./own-home.ts";
import { type Cost, costOf, megabytes } from "./process-cost.ts";
import { eachOf } from "./spread.ts";

/** A day of a busy team. */
const LIVES = 20_000;
const ENTRIES = 2_000_000;
const CONNECTS = 50_000;

const MAX_SLOPE_BYTES = 1024 * 1024;
const MAX_MINUTES = 20;

/** Before this part of the work everything that is made once is made: code, threads, lists that are full from then on. */
const WARM_UP_SHARE = 0.15;

/** How often it is looked after the warm-up. */
const LOOKS = 8;

/** A life takes most of a second, in which little is to do. */
const AT_ONCE = 16;

/** So far apart, lines are not recorded together; the shell waits by itself, without another process. */
const LINE_PAUSE_S = 0.006;

/** Two lines are recorded together now and then. */
const MORE_LINES = 4;

/** Threads and connections that nobody uses any more end after this. */
const QUIET_MS = 12_000;

/** Helpers of the garbage collector give pages back within this. */
const GIVEN_BACK_MS = 1000;

/** A shorter run says nothing about memory, and waits for nothing. */
const MIN_JUDGED_SCALE = 0.05;

/** In a short run threads are begun that a long one has begun before it looks, each with files of its own; far less than what would stay of every terminal. */
const SHORT_SLACK = { descriptors: 16, threads: 2 };

/** What a run is made of. */
interface Soak {
  readonly lives: number;
  readonly entriesPerLife: number;
  readonly connectsPerLife: number;
}

/** Lets terminals come and go; throws when something of them stays, in a run that is long enough to tell. */
export async function measureSoak({ scale, progress }: Run): Promise<string> {
  const plan: Soak = {
    lives: Math.max(40, Math.round(LIVES * scale)),
    entriesPerLife: ENTRIES / LIVES,
    connectsPerLife: CONNECTS / LIVES,
  };
  const isLong = scale >= MIN_JUDGED_SCALE;
  const [lookCount, quietMs] = isLong ? [LOOKS, QUIET_MS] : [1, 0];
  await using home = new OwnHome();
  const daemon = await home.start(INSPECTABLE);
  const look = async (): Promise<Look> => {
    await sleep(quietMs);
    await collectGarbage(daemon.said.error);
    // What the first time let go of is given back to the system by the second, and pages a moment later.
    await sleep(isLong ? GIVEN_BACK_MS : 0);
    await collectGarbage(daemon.said.error);
    await sleep(isLong ? GIVEN_BACK_MS : 0);
    return { cost: costOf(home.pids), programs: home.programs.length };
  };
  const startedMs = performance.now();
  // The first lives start threads and fill lists of fixed length.
  const warmUp = Math.ceil(plan.lives * WARM_UP_SHARE);
  let entries = await live(home, { ...plan, lives: warmUp }, () => {});
  const looks = [await look()];
  const part = Math.ceil((plan.lives - warmUp) / lookCount);
  let lived = warmUp;
  for (let count = 0; count < lookCount; count++) {
    const before = lived;
    const told = (done: number): void => progress(before + done, plan.lives);
    entries += await live(home, { ...plan, lives: part }, told);
    lived += part;
    looks.push(await look());
  }
  const minutes = (performance.now() - startedMs) / 60_000;
  const [first] = looks as [Look];
  const isBack = (): boolean => {
    const { descriptors, threads } = costOf(home.pids);
    const slack = isLong ? { descriptors: 0, threads: 0 } : SHORT_SLACK;
    return (
      descriptors <= first.cost.descriptors + slack.descriptors &&
      threads <= first.cost.threads + slack.threads
    );
  };
  // What cannot come back is told below, with numbers.
  await waitUntil(isBack).catch(() => undefined);
  const last = { cost: costOf(home.pids), programs: home.programs.length };
  const slope = slopeOf(looks, part) * 1000;
  const words = [
    `${lived} lives, ${entries} entries, ${Math.round(lived * plan.connectsPerLife)} connections in ${minutes.toFixed(1)} min`,
    `descriptors ${first.cost.descriptors} → ${last.cost.descriptors}`,
    `threads ${first.cost.threads} → ${last.cost.threads}`,
    `resident ${looks.map(({ cost }) => megabytes(cost.residentBytes)).join(" → ")}`,
    ...(isLong ? [`${(slope / 1024 / 1024).toFixed(2)} MB per 1000 lives`] : []),
    `${last.programs} programs left`,
  ].join(", ");
  if (!isBack() || last.programs > 0) throw new Error(words);
  // A short run is the warm-up of a long one.
  const isMet = slope <= MAX_SLOPE_BYTES && minutes <= MAX_MINUTES && entries >= ENTRIES;
  if (scale >= 1 && !isMet) throw new Error(words);
  return words;
}

interface Look {
  readonly cost: Cost;
  readonly programs: number;
}

/** Lets so many terminals come and go, several at once; gives how many entries they left. */
async function live(home: OwnHome, plan: Soak, progress: (done: number) => void): Promise<number> {
  let [done, entries] = [0, 0];
  await eachOf(Array.from({ length: plan.lives }), AT_ONCE, async (_, index) => {
    const left = await liveOnce(home, plan, index);
    entries += left;
    progress(++done);
  });
  return entries;
}

/** One terminal: it is watched, written to, read, and ends by itself or is ended. */
async function liveOnce(home: OwnHome, plan: Soak, index: number): Promise<number> {
  const client = home.client();
  const lines = plan.entriesPerLife + MORE_LINES;
  const script = `for ((i = 0; i < ${lines}; i++)); do echo $i; read -rt ${LINE_PAUSE_S}; done; echo over; read -r; exit 7`;
  const { id } = await client.createTerminal({
    command: "bash",
    args: ["--norc", "-c", script],
    workingDirectory: home.work,
    env: home.env,
  });
  // Every second one is watched by two.
  for (let count = index % 2; count < plan.connectsPerLife; count++) await watch(client, id);
  // Before that a pause between two lines would take what is typed.
  await client.waitFor({ id, until: [{ kind: "text", text: "over" }], after: 0 });
  await client.sendInput({ id, data: "go\r" });
  const { sequence } = await client.waitFor({ id, until: [{ kind: "exit" }], after: 0 });
  // People dispose of some and forget the others.
  if (index % 3 !== 0) await client.disposeTerminal({ id });
  return sequence;
}

/** Connects as a viewer does, and leaves after the first picture. */
async function watch(client: NacreClient, id: string): Promise<void> {
  await using opened = client.openTerminal(id);
  for await (const message of opened) if (message.kind === "snapshot") break;
}

/** Bytes per life, by least squares: one look that is off says little. */
function slopeOf(looks: readonly Look[], livesBetween: number): number {
  const points = looks.map(({ cost }, index) => ({
    x: index * livesBetween,
    y: cost.residentBytes,
  }));
  const mean = (of: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [meanX, meanY] = [mean(({ x }) => x), mean(({ y }) => y)];
  const covariance = mean(({ x, y }) => (x - meanX) * (y - meanY));
  return covariance / mean(({ x }) => (x - meanX) ** 2);
}
