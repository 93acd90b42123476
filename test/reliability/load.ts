// Many live shells in one daemon: what each costs, how fast they come, and how soon a key is shown beside floods.
import { setTimeout as sleep } from "node:timers/promises";
import type { NacreClient } from "@nacre/client";
import type { TerminalId } from "@nacre/contracts";
import type { Run } from "../support/target.ts";
import { OwnHome } from "./own-home.ts";
import { type Cost, costOf, megabytes } from "./process-cost.ts";
import { eachOf, shareOf, spreadOf } from "./spread.ts";

/** What is promised of a thousand. */
const TERMINALS = 1000;
const FLOODS = 100;
const MAX_BYTES = 600 * 1024 * 1024;
const MAX_IDLE_SHARE = 0.01;
const MIN_CREATES_PER_SECOND = 75;
const MAX_ECHO_MS = 50;

/** How long nothing happens while it is measured what that costs. */
const IDLE_MS = 20_000;

/** What was just done is written down, indexed and collected before anybody calls it idle. */
const SETTLE_MS = 30_000;

const KEYS = 500;

const CREATES_AT_ONCE = 8;

/** What a load is made of. */
interface Load {
  readonly terminals: number;
  readonly floods: number;
  readonly keys: number;
  readonly idleMs: number;
  readonly settleMs: number;
}

/** What it came to. */
interface Loaded {
  readonly perSecond: number;
  readonly promptedPerSecond: number;
  readonly cost: Cost;
  readonly idleShare: number;
  readonly echoMs: readonly number[];
  readonly flooding: Cost;
}

/** Measures a load of this scale; only the whole one is judged, as a part says nothing about it. */
export async function measureLoad({ scale, progress }: Run): Promise<string> {
  const isWhole = scale >= 1;
  const part = (full: number): number => Math.max(1, Math.round(full * scale));
  const loaded = await load(
    {
      terminals: part(TERMINALS),
      floods: part(FLOODS),
      keys: isWhole ? KEYS : 50,
      idleMs: isWhole ? IDLE_MS : 1000,
      settleMs: isWhole ? SETTLE_MS : 0,
    },
    progress,
  );
  const { perSecond, promptedPerSecond, cost, idleShare, echoMs, flooding } = loaded;
  const words = [
    `${part(TERMINALS)} shells: ${megabytes(cost.proportionalBytes)} (resident ${megabytes(cost.residentBytes)})`,
    `${cost.threads} threads, ${cost.descriptors} descriptors`,
    `idle ${(idleShare * 100).toFixed(2)} % of a core`,
    `${perSecond.toFixed(0)} created per second, ${promptedPerSecond.toFixed(0)} with a prompt`,
    `echo beside ${part(FLOODS)} floods ${spreadOf(echoMs)}`,
    `then ${megabytes(flooding.proportionalBytes)}`,
  ].join("; ");
  const isMet =
    cost.proportionalBytes <= MAX_BYTES &&
    idleShare <= MAX_IDLE_SHARE &&
    perSecond >= MIN_CREATES_PER_SECOND &&
    shareOf(echoMs, 0.99) <= MAX_ECHO_MS;
  if (isWhole && !isMet) throw new Error(words);
  return words;
}

async function load(plan: Load, progress: Run["progress"]): Promise<Loaded> {
  await using home = new OwnHome();
  await home.start();
  const client = home.client();
  const ids: TerminalId[] = [];
  const startedMs = performance.now();
  await eachOf(Array.from({ length: plan.terminals }), CREATES_AT_ONCE, async () => {
    const { id } = await client.createTerminal({
      shell: "bash",
      workingDirectory: home.work,
      env: home.env,
    });
    ids.push(id);
    progress(ids.length, plan.terminals);
  });
  const createdMs = performance.now() - startedMs;
  await eachOf(ids, CREATES_AT_ONCE, async (id) => {
    await client.waitFor({ id, until: [{ kind: "prompt" }], after: 0 });
  });
  const promptedMs = performance.now() - startedMs;
  await sleep(plan.settleMs);
  const before = costOf(home.pids);
  const idleFromMs = performance.now();
  await sleep(plan.idleMs);
  const cost = costOf(home.pids);
  const idleShare = (cost.processorMs - before.processorMs) / (performance.now() - idleFromMs);
  const [typed, ...others] = ids;
  const flooding = others.slice(0, plan.floods);
  for (const id of flooding) await client.sendInput({ id, data: "yes\r" });
  const echoMs = await typeKeys(client, typed as TerminalId, plan.keys);
  const after = costOf(home.pids);
  return {
    perSecond: (plan.terminals * 1000) / createdMs,
    promptedPerSecond: (plan.terminals * 1000) / promptedMs,
    cost,
    idleShare,
    echoMs,
    flooding: after,
  };
}

/** Presses keys one after the other, as somebody who sees each before the next; gives how long each took to be shown. */
async function typeKeys(client: NacreClient, id: TerminalId, keys: number): Promise<number[]> {
  await using opened = client.openTerminal(id);
  const tookMs: number[] = [];
  let pressedMs: number | undefined;
  const press = (): void => {
    pressedMs = performance.now();
    opened.write("x");
  };
  for await (const message of opened) {
    if (message.kind === "snapshot") press();
    if (message.kind !== "bytes" || pressedMs === undefined) continue;
    if (!Buffer.from(message.bytes).includes("x")) continue;
    tookMs.push(performance.now() - pressedMs);
    if (tookMs.length === keys) break;
    // A line that grows without end would be drawn anew by the shell.
    if (tookMs.length % 50 === 0) opened.write("\u0015");
    press();
  }
  return tookMs;
}
