import { connect, type NacreClient } from "@nacre/client";
import type { TerminalId, TerminalRecordingEntry } from "@nacre/contracts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { socketFetch } from "../../packages/client/src/node/socket-fetch.ts";
import { StepClock } from "../../packages/client/src/testing/step-clock.ts";
import { CuttingProxy, listedCuts } from "../support/cutting-proxy.ts";
import { type OwnDaemon, ownDaemon } from "../support/own-daemon.ts";
import { seededRandom } from "../support/random.ts";
import { shLine } from "../support/terminal-input.ts";

const CUTS = 60;

let own: OwnDaemon;
let direct: NacreClient;
beforeAll(async () => {
  own = await ownDaemon();
  direct = connect({ url: own.url, token: own.token });
});
afterAll(() => own[Symbol.asyncDispose]());

/** A program that writes for a while, in many entries. */
const talkative = shLine("for n in $(seq 1 300); do echo line $n; sleep 0.005; done; exit 5");

/** A client whose connections break after these numbers of bytes; waits before coming back are skipped. */
function cutClient(proxy: CuttingProxy): NacreClient {
  const fetch = socketFetch(proxy.agent);
  return connect({ url: own.url, token: own.token, fetch, clock: new StepClock(10_000) });
}

/** The first connection must be made; the others break anywhere, from the middle of the headers to far behind them. */
function randomCuts(seed: number): number[] {
  const random = seededRandom(seed);
  return Array.from({ length: CUTS }, (_, index) => (index === 0 ? 3000 : 200) + random() * 5000);
}

async function stored(terminalId: TerminalId): Promise<TerminalRecordingEntry[]> {
  const entries: TerminalRecordingEntry[] = [];
  for (let after: number | undefined = 0; after !== undefined;) {
    const page = await direct.findRecordingEntries({ terminalId, after, limit: 1000 });
    entries.push(...page.entries);
    after = page.nextAfter;
  }
  return entries;
}

test("a feed whose connection breaks at random places tells exactly what was recorded", async () => {
  const { id } = await direct.createTerminal(talkative);
  using proxy = await CuttingProxy.open({ target: own.port, nextCut: listedCuts(randomCuts(1)) });
  const entries: TerminalRecordingEntry[] = [];
  for await (const message of cutClient(proxy).feed(id, { after: 0 })) {
    if (message.kind === "entry") entries.push(message.entry);
  }
  expect(entries).toEqual(await stored(id));
  expect(proxy.cutCount).toBeGreaterThan(CUTS / 6);
});

const Entry = z.looseObject({ sequence: z.int(), type: z.string() });

test("events of a terminal over connections that break at random places have no hole", async () => {
  const { id } = await direct.createTerminal(talkative);
  using proxy = await CuttingProxy.open({ target: own.port, nextCut: listedCuts(randomCuts(2)) });
  const sequences: number[] = [];
  let lateResyncs = 0;
  const channels = [`${id}.recordingEntry.appended`];
  await using events = cutClient(proxy).events({ channels });
  for await (const message of events) {
    if (message.type === "resync" && sequences.length > 0) lateResyncs += 1;
    if (message.type !== "event") continue;
    const { sequence, type } = Entry.parse(message.event.payload);
    sequences.push(sequence);
    if (type === "exit") break;
  }
  // Before the first event there is nothing to resume after; later there always is.
  expect(lateResyncs).toBe(0);
  const [first = 0] = sequences;
  const all = (await stored(id)).map(({ sequence }) => sequence);
  expect(sequences).toEqual(all.filter((sequence) => sequence >= first));
  expect(proxy.cutCount).toBeGreaterThan(CUTS / 6);
});
