// Listeners of every kind over connections that break, while numbered lines are written.
import assert from "node:assert/strict";
import { connect } from "@nacre/client";
import { CuttingProxy } from "../support/cutting-proxy.ts";
import { DaemonProcess } from "../support/daemon-process.ts";
import { NumberedLines } from "../support/numbered-lines.ts";
import { ownDirectory } from "../support/own-directory.ts";
import { Random } from "../support/random.ts";
import type { Run } from "../support/target.ts";
import { randomLength } from "./random-length.ts";
import type { Listener } from "./listener.ts";
import {
  ownEventListener,
  ownFeedListener,
  type OwnListenerParts,
  ownRawListener,
} from "./own-listeners.ts";
import type { DaemonPlan } from "./plan.ts";
import { hastyClock, typedEvents, typedFeed, typedTerminal } from "./typed-listeners.ts";

/** So many listeners of each kind. */
const OF_EACH_KIND = 2;

/** Lines that are written at once. */
const MOST_LINES = 40;

/** More than the host remembers of its events. */
const FORGOTTEN_LINES = 500_000;

/** Breaks connections until there were as many as planned; throws unless all listeners heard exactly what was recorded. */
export async function breakConnections(
  { disconnects }: Pick<DaemonPlan, "disconnects">,
  { seed, progress }: Pick<Run, "seed" | "progress">,
): Promise<string> {
  const random = new Random(seed);
  using way = await CuttingProxy.open({
    nextCut: () => randomLength(random),
    // Both kinds of end are met in networks: one that says goodbye, and one that does not.
    isReset: () => random.chance(0.5),
  });
  way.isCutting = false;
  using home = ownDirectory();
  const env = { NACRE_PUBLIC_ORIGINS: way.url };
  await using daemon = await DaemonProcess.start({ home: home.path, env });
  way.target = daemon.port;
  const direct = daemon.client();
  const terminal = await NumberedLines.start(direct);
  let isCutting = false;
  const clock = hastyClock(random);
  const client = connect({ url: way.url, token: daemon.token, clock });
  const typed = { client, direct, id: terminal.id };
  const own = { daemon, direct, id: terminal.id, random, isCutting: () => isCutting };
  const listeners: readonly Listener[] = Array.from({ length: OF_EACH_KIND }, () => [
    typedEvents(typed),
    typedFeed(typed),
    typedTerminal(typed),
    ownEventListener(own, terminal.id),
    ownEventListener(own, "terminal:*"),
    ownFeedListener(own),
    ownRawListener(own),
  ]).flat();
  const absence = new Absence();
  const absent = ownEventListener({ ...own, ...absence.parts }, "terminal:*");
  await Promise.all([...listeners, absent].map(({ connected }) => connected));
  // Before the first event there is nothing to resume after.
  await terminal.write(1);
  absence.begin();
  while (absent.ownCuts === 0) await terminal.write(MOST_LINES);
  await terminal.write(FORGOTTEN_LINES);
  absence.end();
  isCutting = true;
  way.isCutting = true;
  way.cut();
  const cuts = (): number =>
    way.cutCount + listeners.reduce((sum, { ownCuts }) => sum + ownCuts, 0);
  while (cuts() < disconnects) {
    await terminal.write(random.between(1, MOST_LINES));
    progress(cuts(), disconnects);
  }
  isCutting = false;
  way.isCutting = false;
  await terminal.end();
  for (const listener of [...listeners, absent]) {
    await listener.ended;
    await listener.check(terminal);
  }
  assert.equal(absent.resyncs, 1, "who was away for long must be told to read again");
  const resyncs = listeners.reduce((sum, listener) => sum + listener.resyncs, 0);
  const entries = (await terminal.entries()).length;
  return `${cuts()} connections of ${listeners.length} listeners broke during ${terminal.lines} lines in ${entries} entries; every listener has every one, ${resyncs} times one was told to read again beside the one that was away`;
}

/** A time in which a listener is away. */
class Absence {
  readonly #over = Promise.withResolvers<void>();
  #isAway = false;

  get parts(): Required<Pick<OwnListenerParts, "isCutting" | "mayComeBack">> {
    return { isCutting: () => this.#isAway, mayComeBack: () => this.#over.promise };
  }

  begin(): void {
    this.#isAway = true;
  }

  end(): void {
    this.#isAway = false;
    this.#over.resolve();
  }
}
