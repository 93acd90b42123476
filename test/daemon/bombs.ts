// Attacks by frames, bodies and silence, while somebody with a right credential works on.
import assert from "node:assert/strict";
import { DaemonProcess } from "../support/daemon-process.ts";
import { INSPECTABLE } from "../support/garbage-collection.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { ResidentMemory } from "../support/resident-memory.ts";
import { waitUntil } from "../support/wait-until.ts";
import { throwJsonBombs } from "./json-bombs.ts";
import { type DaemonPlan, megabytes } from "./plan.ts";
import { SilentSockets } from "./silent-sockets.ts";
import { throwSocketBombs } from "./socket-bombs.ts";
import { type Latency, SteadyLister } from "./steady-lister.ts";

/** Who works meanwhile must not notice. */
const MAX_SLOW_MS = 100;

/** What may be left of all attacks. */
const MAX_GROWTH_BYTES = 32 * 1024 ** 2;

/** Connections that ended are gone by then. */
const MAX_CLOSING_MS = 10_000;

/** Makes all attacks; throws when the daemon does not withstand one of them. */
export async function throwBombs(plan: DaemonPlan): Promise<string> {
  using home = ownDirectory();
  await using daemon = await DaemonProcess.start({ home: home.path, env: INSPECTABLE });
  const { id } = await daemon.client().createTerminal({ command: "/bin/cat" });
  const attack = { daemon, id };
  const sockets = daemon.openSockets;
  for (let round = 0; round < plan.warmUpRounds; round++) await attackAll(attack, plan);
  using memory = await ResidentMemory.watch(daemon);
  let attacks = 0;
  const latencies: Latency[] = [];
  for (let round = 0; round < plan.rounds; round++) {
    const { count, kept, fresh } = await attackAll(attack, plan);
    attacks += count;
    latencies.push(kept, fresh);
  }
  await waitUntil(() => daemon.openSockets <= sockets, {
    what: `no more than ${sockets} open sockets`,
    timeoutMs: MAX_CLOSING_MS,
  });
  assert.ok(daemon.isRunning, "the daemon ended");
  assert.equal((await daemon.client().readTerminal({ id })).state, "active");
  const slowest = latencies.toSorted((a, b) => b.slowMs - a.slowMs)[0];
  assert.ok(slowest);
  const count = latencies.reduce((sum, latency) => sum + latency.count, 0);
  const growth = await memory.growth();
  const summary = `${attacks} attacks withstood; ${count} lists meanwhile, half within ${slowest.halfMs.toFixed(1)} ms and 99 % within ${slowest.slowMs.toFixed(1)} ms in the worst round; memory grew by ${megabytes(growth)} (${megabytes(memory.mostGrowth)} with garbage); ${sockets} sockets open before and after`;
  if (plan.isJudged) {
    assert.ok(slowest.slowMs <= MAX_SLOW_MS, summary);
    assert.ok(growth <= MAX_GROWTH_BYTES, summary);
  }
  return summary;
}

interface Attacked {
  readonly daemon: DaemonProcess;
  readonly id: string;
}

async function attackAll({ daemon, id }: Attacked, plan: DaemonPlan) {
  using silent = new SilentSockets(daemon);
  const lister = new SteadyLister(daemon, () => silent.drip());
  const counts = await Promise.all([
    throwSocketBombs(daemon, id, plan),
    throwJsonBombs(daemon, plan),
    silent.open(plan.silentSockets).then(() => plan.silentSockets),
  ]);
  return { count: counts.reduce((sum, count) => sum + count, 0), ...(await lister.stop()) };
}
