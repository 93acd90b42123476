import { afterAll, afterEach, expect, test } from "vitest";
import {
  channelOf,
  type EntityContract,
  type EntityEventEnvelope,
  EntityEventEnvelopeSchema,
  TerminalContract,
  type TerminalData,
  TerminalRecordingEntryContract,
  TerminalRecordingEntrySchema,
  TerminalSchema,
  TerminalSummaryContract,
} from "@nacre/contracts";
import { LOCAL_CALLER } from "@nacre/host";
import { openHost } from "../support/open-host.ts";
import { entriesOf } from "../support/recorded-entries.ts";
import { shellNamed, shLine } from "../support/terminal-input.ts";
import { DEADLINE_MS, type, untilText } from "../support/terminal-output.ts";

const problems: unknown[] = [];
const host = await openHost({ handleProblem: (_, error) => problems.push(error) });
afterAll(() => host[Symbol.asyncDispose]());
afterEach(() => {
  if (problems.length > 0) throw new AggregateError(problems);
});

/** Events of these channels from now on, until it is disposed of. */
function hear(...channels: string[]): { readonly events: EntityEventEnvelope[] } & Disposable {
  const subscription = host.bus.subscribe({ channels });
  const events: EntityEventEnvelope[] = [];
  void (async () => {
    for await (const message of subscription) {
      if (message.type === "event") events.push(message.event);
    }
  })();
  return { events, [Symbol.dispose]: () => subscription[Symbol.dispose]() };
}

const DEADLINE = { timeout: DEADLINE_MS, interval: 20 };

const CONTRACTS: readonly EntityContract[] = [
  TerminalContract,
  TerminalSummaryContract,
  TerminalRecordingEntryContract,
];

/** The events of one kind, as what its contract says they carry. */
const terminalsIn = (events: readonly EntityEventEnvelope[]): TerminalData[] =>
  events
    .filter(({ kind }) => kind === "terminal.data.changed")
    .map(({ payload }) => TerminalSchema.parse(payload));

test("every event is one that a contract declares, with the payload that it declares", async () => {
  using all = hear("*");
  const terminal = await host.createTerminal(shellNamed("bash"));
  await type(terminal, "echo $((6*7))\r");
  await untilText(terminal, "42");
  await terminal.resize({ cols: 90, rows: 30 }, LOCAL_CALLER);
  await terminal.rename("mine", LOCAL_CALLER);
  await terminal.kill(LOCAL_CALLER, 0);
  await expect.poll(() => terminalsIn(all.events).at(-1)?.state, DEADLINE).toBe("exited");
  for (const event of all.events) {
    expect(EntityEventEnvelopeSchema.parse(event)).toEqual(event);
    expect(event.channel).toBe(channelOf(event.entityId, event.eventName));
    const contract = CONTRACTS.find(({ table }) => event.entityId.startsWith(`${table}:`));
    expect(contract?.events[event.eventName]?.payload.parse(event.payload)).toEqual(event.payload);
  }
  expect(new Set(all.events.map(({ kind }) => kind))).toEqual(
    new Set([
      "terminal.data.changed",
      "terminal.recordingEntry.appended",
      "terminalRecordingEntry.data.changed",
      "terminalSummary.data.changed",
    ]),
  );
});

test("every entry is told of once and in order, as an event of its terminal and of its own", async () => {
  using all = hear("*");
  const terminal = await host.createTerminal(shLine("seq 1 5; exit 3"));
  const { id } = terminal;
  await terminal.ended;
  const recorded = (await entriesOf(host, id)).map((entry) => entry.id);
  const appended = () =>
    all.events
      .filter((event) => event.entityId === id && event.eventName === "recordingEntry.appended")
      .map(({ payload }) => TerminalRecordingEntrySchema.parse(payload).id);
  await expect.poll(appended, DEADLINE).toEqual(recorded);
  const own = all.events.filter(({ kind }) => kind === "terminalRecordingEntry.data.changed");
  expect(
    own.map(({ entityId }) => entityId).filter((of) => recorded.includes(of as never)),
  ).toEqual(recorded);
});

test("a flood changes the terminal a few times only, and the last change is what `read` says", async () => {
  const terminal = await host.createTerminal(shLine("read go; seq 1 100000; exit 0"));
  using changes = hear(`${terminal.id}.data.changed`);
  await type(terminal, "\n");
  await terminal.ended;
  const last = await host.read(terminal.id);
  await expect.poll(() => terminalsIn(changes.events).at(-1), DEADLINE).toEqual(last);
  expect(changes.events.length).toBeLessThan(last.recording.lastSequence / 2);
});

test("the last change of a terminal that is disposed of is told all the same", async () => {
  const terminal = await host.createTerminal(shLine("echo up; cat"));
  using changes = hear(`${terminal.id}.data.changed`);
  await untilText(terminal, "up");
  await terminal.rename("before the end", LOCAL_CALLER);
  await host.registry.dispose(terminal.id);
  await expect.poll(() => terminalsIn(changes.events).at(-1)?.state, DEADLINE).toBe("exited");
  expect(terminalsIn(changes.events).at(-1)).toMatchObject({
    dead: true,
    connected: false,
    signal: "SIGTERM",
    title: "before the end",
  });
});

test("of a terminal that is deleted nothing more is told, and nobody is troubled", async () => {
  const terminal = await host.createTerminal(shLine("echo up; cat"));
  using changes = hear(`${terminal.id}.data.changed`);
  await untilText(terminal, "up");
  await terminal.rename("soon gone", LOCAL_CALLER);
  await host.registry.delete(terminal.id);
  // Whatever is told of another terminal from now on comes after it.
  const other = await host.createTerminal(shLine("read go"));
  using others = hear(`${other.id}.data.changed`);
  await other.write("\n", { by: LOCAL_CALLER });
  await other.ended;
  await expect.poll(() => terminalsIn(others.events).at(-1)?.state, DEADLINE).toBe("exited");
  expect(terminalsIn(changes.events).every(({ id }) => id === terminal.id)).toBe(true);
});

test("who listens to one terminal hears nothing of others", async () => {
  const terminal = await host.createTerminal(shLine("cat"));
  using one = hear(`${terminal.id}.*`);
  const other = await host.createTerminal(shLine("seq 1 10"));
  await other.ended;
  await type(terminal, "x\n");
  await expect.poll(() => one.events.length, DEADLINE).toBeGreaterThan(0);
  expect(new Set(one.events.map(({ entityId }) => entityId))).toEqual(new Set([terminal.id]));
});

test("who listens to changes only is not flooded with bytes", async () => {
  using changes = hear("terminal:*.data.changed");
  const terminal = await host.createTerminal(shLine("seq 1 1000"));
  await terminal.ended;
  await expect.poll(() => changes.events.length, DEADLINE).toBeGreaterThan(0);
  expect(new Set(changes.events.map(({ kind }) => kind))).toEqual(
    new Set(["terminal.data.changed"]),
  );
});

test("markers of the shell are in no event, as in every view", async () => {
  using appended = hear("terminal:*.recordingEntry.appended");
  const terminal = await host.createTerminal(shellNamed("bash"));
  await type(terminal, "echo $((6*7)); exit\r");
  await terminal.ended;
  const payloads = () =>
    appended.events
      .filter(({ entityId }) => entityId === terminal.id)
      .map(({ payload }) => TerminalRecordingEntrySchema.parse(payload));
  await expect.poll(() => payloads().at(-1)?.type, DEADLINE).toBe("exit");
  expect(JSON.stringify(payloads())).not.toContain("]633;");
});

test("who comes back after an event goes on right behind it", async () => {
  const terminal = await host.createTerminal(shLine("cat"));
  const channels = [`${terminal.id}.recordingEntry.appended`];
  const first = host.bus.subscribe({ channels, isResumable: true });
  await type(terminal, "one\n");
  const { value } = await first[Symbol.asyncIterator]().next();
  const heard = value?.type === "event" ? value.event : undefined;
  first[Symbol.dispose]();
  await untilText(terminal, "one\none");
  await type(terminal, "two\n");
  await untilText(terminal, "two\ntwo");
  const again = host.bus.subscribe({ channels, after: heard?.eventId });
  const sequences: number[] = [];
  for await (const message of again) {
    if (message.type === "event") {
      sequences.push(TerminalRecordingEntrySchema.parse(message.event.payload).sequence);
    }
    if (sequences.at(-1) === terminal.lastSequence) break;
  }
  const { sequence } = TerminalRecordingEntrySchema.parse(heard?.payload);
  const missed = terminal.lastSequence - sequence;
  expect(sequences).toEqual(Array.from({ length: missed }, (_, index) => sequence + 1 + index));
});
