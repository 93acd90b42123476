import { expect, test } from "vitest";
import { Envelope } from "./envelope.ts";
import { ActionHistory } from "./action-history.ts";
import { FakeHost, Listener } from "./testing/fake-host.ts";
import { FakeTerminal } from "./testing/fake-terminal.ts";

const envelopeOf = (serverSeq: number, length = 1): Envelope =>
  new Envelope({
    serverSeq,
    channel: "ahp-terminal:/t1",
    sequence: serverSeq,
    action: { type: "terminal/data", data: "x".repeat(length) },
  });

const numbersIn = (envelopes: readonly Envelope[] | undefined): number[] | undefined =>
  envelopes?.map(({ serverSeq }) => serverSeq);

test("a history has everything after its beginning, and nothing before", () => {
  const history = new ActionHistory(10, () => Number.POSITIVE_INFINITY);
  for (const serverSeq of [11, 14, 20]) history.push(envelopeOf(serverSeq));
  expect(history.after(9)).toBeUndefined();
  expect(numbersIn(history.after(10))).toEqual([11, 14, 20]);
  expect(numbersIn(history.after(11))).toEqual([14, 20]);
  expect(numbersIn(history.after(13))).toEqual([14, 20]);
  expect(numbersIn(history.after(19))).toEqual([20]);
  expect(numbersIn(history.after(20))).toEqual([]);
  expect(numbersIn(history.after(99))).toEqual([]);
});

test("what is too much is dropped from the oldest on, and known to be", () => {
  const { bytes } = envelopeOf(100);
  const history = new ActionHistory(100, () => 3 * bytes);
  for (let serverSeq = 101; serverSeq <= 900; serverSeq++) {
    history.push(envelopeOf(serverSeq));
    expect(history.bytes).toBeLessThanOrEqual(3 * bytes);
  }
  expect(history.hasDropped).toBe(true);
  expect(history.after(896)).toBeUndefined();
  expect(numbersIn(history.after(897))).toEqual([898, 899, 900]);
});

test("bounds that became narrower are kept to", () => {
  let maxBytes = 100_000;
  const history = new ActionHistory(1, () => maxBytes);
  for (const serverSeq of [2, 3, 4]) history.push(envelopeOf(serverSeq, 10_000));
  expect(history.hasDropped).toBe(false);
  maxBytes = 15_000;
  history.trim();
  expect(history.after(2)).toBeUndefined();
  expect(numbersIn(history.after(3))).toEqual([4]);
});

test("one that is larger than all room leaves nothing behind", () => {
  const history = new ActionHistory(1, () => 1000);
  history.push(envelopeOf(2));
  history.push(envelopeOf(3, 5000));
  expect(history.bytes).toBe(0);
  expect(history.after(2)).toBeUndefined();
  expect(history.after(3)).toEqual([]);
});

test("a flood of one terminal costs others nothing; many share the room of all", async () => {
  const limits = { historyBytes: 8000, allHistoryBytes: 16_000, leastHistoryBytes: 2000 };
  const terminals = Array.from({ length: 20 }, (_, index) => new FakeTerminal(`t${index}`));
  using host = new FakeHost(limits, terminals);
  const { serverSeq } = host.agentHost;
  const listener = new Listener();
  const open = async (uid: string) => {
    const channel = await host.agentHost.openTerminal(`ahp-terminal:/${uid}`, listener.context);
    channel.join(listener);
    return channel;
  };
  const [quiet, noisy] = [await open("t0"), await open("t1")];
  const begin = host.agentHost.serverSeq;
  terminals[0]?.write("x".repeat(3000));
  await listener.until(1);
  for (let count = 2; count < 20; count++) {
    terminals[1]?.write("x".repeat(3000));
    await listener.until(count);
  }
  expect(noisy.after(begin)).toBeUndefined();
  expect(noisy.after(host.agentHost.serverSeq - 2)).toHaveLength(2);
  expect(quiet.after(begin)).toHaveLength(1);
  expect(quiet.after(serverSeq)).toBeUndefined();
  for (let count = 2; count < 20; count++) await open(`t${count}`);
  expect(quiet.after(begin)).toBeUndefined();
});
