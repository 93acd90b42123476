import { RecordingEntryId, TerminalContract, TerminalId } from "@nacre/contracts";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { person } from "../support/callers.ts";
import type { LineClient, Said } from "../support/line-client.ts";
import { shLine } from "../support/terminal-input.ts";
import { type, untilText } from "../support/terminal-output.ts";
import { type IpcServer, openIpc } from "./ipc-server.ts";

let server: IpcServer;
beforeAll(async () => {
  server = await openIpc();
});
afterAll(() => server[Symbol.asyncDispose]());

const echo = shLine('while read -r line; do echo "got $line"; done');

const appended = (id: string): string => `${id}.recordingEntry.appended`;

let named = 0;
/** A terminal that only events tell of, so that they come when a test says so. */
const madeUp = (): TerminalId => TerminalId.parse(`terminal:made-up-${(named += 1)}`);

function publish(terminalId: TerminalId, sequence: number): void {
  server.host.bus.publish({
    contract: TerminalContract,
    entityId: terminalId,
    eventName: "recordingEntry.appended",
    payload: {
      id: RecordingEntryId.parse(`terminal_recording_entry:test${sequence}`),
      terminalId,
      sequence,
      occurredAt: "2026-01-01T00:00:00.000Z",
      elapsedMs: 0,
      type: "resize",
      cols: 80,
      rows: 24,
    },
  });
}

const Placed = z.object({ sequence: z.int() });

const sequenceOf = ({ event }: Said): number | undefined =>
  Placed.safeParse(event?.payload).data?.sequence;

const sequencesOf = ({ said }: LineClient): readonly number[] =>
  said.flatMap((one) => sequenceOf(one) ?? []);

/** Lets everything that is ready happen. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a listener hears every entry of its terminal, in order and once", async () => {
  using client = await server.connect();
  const terminal = await server.host.createTerminal(echo);
  const channels = [appended(terminal.id)];
  expect(await client.result("event.subscribe", { channels })).toEqual({ channels });
  await type(terminal, "hello\r");
  const last = await untilText(terminal, "got hello");
  await client.until((said) => sequenceOf(said) === last);
  const heard = sequencesOf(client);
  const [first = 0] = heard;
  expect(heard.length).toBeGreaterThan(1);
  expect(heard).toEqual(heard.map((_, index) => first + index));
  expect(new Set(client.events.map(({ kind }) => kind))).toEqual(
    new Set(["terminal.recordingEntry.appended"]),
  );
});

test("who names no channels hears everything, and who names other entities hears nothing", async () => {
  using all = await server.connect();
  using missions = await server.connect();
  expect(await all.result("event.subscribe")).toEqual({ channels: ["*"] });
  await missions.result("event.subscribe", { channels: ["mission:*.*"] });
  const terminal = await server.host.createTerminal(shLine("exit 3"));
  await all.until(({ event }) => event?.channel === `${terminal.id}.data.changed`);
  await all.until(({ event }) => event?.channel === appended(terminal.id));
  await missions.ask("ping");
  expect(missions.events).toEqual([]);
});

test("channels are added and taken away, and no event is lost, late or told twice by that", async () => {
  using client = await server.connect();
  const [first, second] = [madeUp(), madeUp()];
  const [one, two] = [appended(first), appended(second)];
  await client.result("event.subscribe", { channels: [one] });
  let sequence = 1000;
  const told: number[] = [];
  const tell = (id: TerminalId, isHeard: boolean): void => {
    sequence += 1;
    if (isHeard) told.push(sequence);
    publish(id, sequence);
  };
  for (let round = 0; round < 30; round++) {
    const adding = client.ask("event.subscribe", { channels: [two, one] });
    // The subscription changes while these are published.
    while (!client.said.some(({ id }) => id === `r${2 * round + 2}`)) {
      tell(first, true);
      await turn();
    }
    expect(await adding).toMatchObject({ result: { channels: [one, two] } });
    tell(second, true);
    const taking = client.ask("event.unsubscribe", { channels: [two] });
    while (!client.said.some(({ id }) => id === `r${2 * round + 3}`)) {
      tell(first, true);
      await turn();
    }
    expect(await taking).toMatchObject({ result: { channels: [one] } });
    tell(second, false);
  }
  tell(first, true);
  await client.until((said) => sequenceOf(said) === sequence);
  expect(sequencesOf(client)).toEqual(told);
  expect(client.said.filter(({ type: kind }) => kind === "resync")).toEqual([]);
});

test("the very first events are not lost while channels are added", async () => {
  const [terminal, other] = [madeUp(), madeUp()];
  for (let round = 0; round < 20; round++) {
    using client = await server.connect();
    await client.result("event.subscribe", { channels: [appended(terminal)] });
    const adding = client.ask("event.subscribe", { channels: [appended(other)] });
    const told: number[] = [];
    for (let step = 0; step < 8; step++) {
      told.push(2000 + step);
      publish(terminal, 2000 + step);
      if (step % 2 === round % 2) await turn();
    }
    await adding;
    await client.until((said) => sequenceOf(said) === 2007);
    expect(sequencesOf(client)).toEqual(told);
  }
});

test("a listener that comes back goes on after the event it heard last", async () => {
  const terminal = madeUp();
  const channels = [appended(terminal)];
  const first = await server.connect();
  await first.result("event.subscribe", { channels });
  publish(terminal, 3001);
  const { event } = await first.until((said) => said.type === "event");
  first[Symbol.dispose]();
  await server.served.at(-1);
  publish(terminal, 3002);
  using second = await server.connect();
  await second.result("event.subscribe", { channels, after: event?.eventId });
  await second.until((said) => said.type === "event");
  expect(sequencesOf(second)).toEqual([3002]);
  expect(await second.ask("event.subscribe", { channels, after: event?.eventId })).toMatchObject({
    error: { code: "invalid_argument" },
  });
});

test("who asks for events that nobody keeps is told to read anew", async () => {
  using client = await server.connect();
  await client.result("event.subscribe", { channels: ["terminal:*.*"], after: "another-run-1" });
  expect(await client.until((said) => said.type === "resync")).toMatchObject({ type: "resync" });
});

test("patterns that are none, and too many of them, are refused and change nothing", async () => {
  using client = await server.connect();
  const channels = ["terminal:a1.*"];
  await client.result("event.subscribe", { channels });
  for (const bad of [["terminal:**"], [""], [], ["*".repeat(2000)]]) {
    const { error } = await client.ask("event.subscribe", { channels: bad });
    expect(error).toMatchObject({ code: "invalid_argument" });
  }
  const many = Array.from({ length: 64 }, (_, index) => `terminal:b${index}.*`);
  expect(await client.ask("event.subscribe", { channels: many })).toMatchObject({ ok: false });
  publish(TerminalId.parse("terminal:a1"), 1);
  await client.until((said) => sequenceOf(said) === 1);
  expect(await client.result("event.unsubscribe", { channels: ["terminal:zz.*"] })).toEqual({
    channels,
  });
  expect(await client.result("event.unsubscribe")).toEqual({ channels: [] });
});

test("a listener that does not read holds little, slows nobody, and is told to read anew", async () => {
  const terminal = madeUp();
  using stalled = await server.connect();
  await stalled.result("event.subscribe", { channels: [appended(terminal)] });
  stalled.socket.pause();
  const end = server.sockets.at(-1);
  const before = process.memoryUsage().heapUsed;
  for (let sequence = 5000; sequence < 15_000; sequence++) {
    publish(terminal, sequence);
    if (sequence % 100 === 0) await turn();
  }
  expect(end?.writableLength).toBeLessThan(256 * 1024);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(64 * 1024 * 1024);
  stalled.socket.resume();
  await stalled.until((said) => said.type === "resync");
  publish(terminal, 20_000);
  await stalled.until((said) => sequenceOf(said) === 20_000);
});

test("nothing is left of a connection that is gone", async () => {
  const { operations } = server.host;
  const follow = vi.spyOn(operations, "follow");
  const gone = vi.spyOn(operations, "clientGone");
  const caller = person("ann");
  const client = await server.connect(caller);
  for (const uid of ["a", "b", "c"]) {
    await client.result("event.subscribe", { channels: [`terminal:${uid}.*`] });
  }
  const end = server.sockets.at(-1);
  client[Symbol.dispose]();
  await server.served.at(-1);
  expect(end?.destroyed).toBe(true);
  expect(gone.mock.calls.filter(([{ id }]) => id === caller.id)).toHaveLength(1);
  const feeds = await Promise.all(follow.mock.results.map(({ value }) => value));
  expect(feeds).toHaveLength(3);
  for (const feed of feeds) expect(await feed.next()).toMatchObject({ done: true });
  expect(server.faults).toEqual([]);
});
