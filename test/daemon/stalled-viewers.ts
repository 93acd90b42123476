// A flood of output while viewers are connected that do not read.
import assert from "node:assert/strict";
import type { Socket } from "node:net";
import type { TerminalId } from "@nacre/contracts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { INSPECTABLE } from "../support/garbage-collection.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { ResidentMemory } from "../support/resident-memory.ts";
import { Flood } from "./flood.ts";
import { type DaemonPlan, megabytes } from "./plan.ts";
import { openStream, openWebSocket } from "./raw-connection.ts";

/** So many viewers of each kind do not read. */
const STALLED_OF_EACH_KIND = 5;

/** What all of them together may cost. */
const MAX_GROWTH_BYTES = 64 * 1024 ** 2;

/** A program that is held up by viewers takes much longer than this. */
const MAX_SLOWDOWN = 1.5;

/** Writes a flood twice, first without stalled viewers; throws when they cost too much, or a viewer that reads misses a byte. */
export async function floodStalledViewers({ floodBytes, isJudged }: DaemonPlan): Promise<string> {
  using home = ownDirectory();
  await using daemon = await DaemonProcess.start({ home: home.path, env: INSPECTABLE });
  const flood = await Flood.start(daemon);
  using alone = await ResidentMemory.watch(daemon);
  const aloneMs = await flood.write(floodBytes);
  const mostAlone = alone.most;
  using memory = await ResidentMemory.watch(daemon);
  using stalled = new StalledViewers(daemon);
  await stalled.connect(flood.id);
  const watchedMs = await flood.write(floodBytes);
  // Garbage comes and goes in either flood; what the viewers cost is what is more in the second.
  const growth = memory.most - mostAlone;
  const kept = await memory.growth();
  await flood.end();
  const summary = `${megabytes(floodBytes)} with ${stalled.count} stalled viewers: at any time ${megabytes(growth)} more memory than without them, ${megabytes(kept)} kept; the program took ${seconds(watchedMs)} instead of ${seconds(aloneMs)}; a viewer that reads has every byte, ${flood.resumes} times by resuming`;
  if (isJudged) {
    assert.ok(Math.max(growth, kept) <= MAX_GROWTH_BYTES, summary);
    assert.ok(watchedMs <= MAX_SLOWDOWN * aloneMs, summary);
  }
  return summary;
}

const seconds = (durationMs: number): string => `${(durationMs / 1000).toFixed(2)} s`;

/** Viewers that never read. */
class StalledViewers implements Disposable {
  readonly #daemon: DaemonProcess;
  readonly #sockets: Socket[] = [];

  constructor(daemon: DaemonProcess) {
    this.#daemon = daemon;
  }

  get count(): number {
    return this.#sockets.length;
  }

  async connect(id: TerminalId): Promise<void> {
    const path = `/api/terminals/${id}`;
    for (let number = 0; number < STALLED_OF_EACH_KIND; number++) {
      this.#sockets.push(await openWebSocket(this.#daemon, `${path}/connect?control=1`));
      this.#sockets.push(await openStream(this.#daemon, `${path}/feed`));
    }
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }
}
