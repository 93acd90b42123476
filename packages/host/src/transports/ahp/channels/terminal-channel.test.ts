import { setImmediate as turn } from "node:timers/promises";
import { ClientId, CommandId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { reduceTerminalActions } from "../protocol/reducer.ts";
import type { TerminalState } from "../protocol/state.ts";
import type { ChannelLimits } from "./channel.ts";
import type { TerminalChannel } from "./terminal-channel.ts";
import { FakeHost, Listener } from "./testing/fake-host.ts";
import { AT, FakeTerminal } from "./testing/fake-terminal.ts";

const URI = "ahp-terminal:/t1";

/** A host with one terminal, whose channel one connection has joined. */
async function followed(limits: Partial<ChannelLimits> = {}, terminal = new FakeTerminal("t1")) {
  const host = new FakeHost(limits, [terminal]);
  const listener = new Listener();
  host.agentHost.clients.connect(listener, { version: "1.0.0", shape: "lifecycle" });
  const channel = await host.agentHost.openTerminal(URI, listener.context);
  channel.join(listener);
  return { host, terminal, listener, channel };
}

async function stateOf(channel: TerminalChannel, listener: Listener): Promise<TerminalState> {
  using prepared = await channel.prepare();
  // The newest shape is the one that is asked for.
  return prepared.take(listener.audience).state as TerminalState;
}

const commandId = CommandId.parse("c1");

test("output that is ready in one turn is one action", async () => {
  const { terminal, listener } = await followed();
  terminal.write("a");
  terminal.write("ü");
  terminal.append({ type: "marker", label: "here" });
  terminal.write("c");
  await listener.until(1);
  expect(listener.actions).toEqual([{ type: "terminal/data", data: "aüc" }]);
  terminal.write("d");
  await listener.until(2);
  expect(listener.actions[1]).toEqual({ type: "terminal/data", data: "d" });
});

test("output of more than one action's size is several", async () => {
  const { terminal, listener } = await followed();
  const piece = "x".repeat(40 * 1024);
  for (let count = 0; count < 3; count++) terminal.write(piece);
  await listener.until(3);
  expect(listener.actions).toEqual(
    Array.from({ length: 3 }, () => ({ type: "terminal/data", data: piece })),
  );
});

test("other entries come in their place among the output", async () => {
  const { terminal, listener } = await followed();
  terminal.write("$ ");
  const command = { commandId, commandLine: "make", quality: "exact" } as const;
  terminal.append({ type: "command", ...command });
  terminal.write("ok");
  terminal.append({ type: "commandEnd", commandId, exitCode: 0, durationMs: 7, endedBy: "marker" });
  terminal.append({ type: "cwd", cwd: "/a b", quality: "exact" });
  terminal.append({ type: "gap", lostBytes: 3, reason: "overflow" });
  terminal.append({ type: "clear" });
  terminal.append({ type: "exit", exitCode: null });
  await listener.until(8);
  expect(listener.actions).toEqual([
    { type: "terminal/data", data: "$ " },
    { type: "terminal/commandDetectionAvailable" },
    { type: "terminal/commandExecuted", commandId, commandLine: "make", timestamp: Date.parse(AT) },
    { type: "terminal/data", data: "ok" },
    { type: "terminal/commandFinished", commandId, exitCode: 0, durationMs: 7 },
    { type: "terminal/cwdChanged", cwd: "file:///a%20b" },
    { type: "terminal/cleared" },
    { type: "terminal/exited" },
  ]);
});

test("that commands are told is announced once, as soon as it is so", async () => {
  const { terminal, listener } = await followed();
  terminal.write("$ ");
  await listener.until(1);
  terminal.change({ detectsCommands: true });
  await listener.until(2);
  terminal.change({});
  terminal.write("a");
  await listener.until(3);
  expect(listener.actions.map(({ type }) => type)).toEqual([
    "terminal/data",
    "terminal/commandDetectionAvailable",
    "terminal/data",
  ]);
});

test("a title that is taken away is what the terminal is called without one", async () => {
  const { terminal, listener } = await followed();
  terminal.append({ type: "title", title: "build" });
  terminal.append({ type: "title", title: "" });
  await listener.until(2);
  expect(listener.actions).toEqual([
    { type: "terminal/titleChanged", title: "build" },
    { type: "terminal/titleChanged", title: "bash" },
  ]);
});

test("numbers grow over all channels, and a snapshot has everything up to its own", async () => {
  const { host, terminal, listener, channel } = await followed();
  const other = new FakeTerminal("t2");
  host.add(other);
  const second = await host.agentHost.openTerminal("ahp-terminal:/t2", listener.context);
  second.join(listener);
  terminal.write("one");
  await listener.until(1);
  other.write("two");
  await listener.until(2);
  terminal.write("three");
  using prepared = await channel.prepare();
  const { fromSeq, state, resource } = prepared.take(listener.audience);
  const numbers = listener.told.map(({ envelope }) => envelope.serverSeq);
  expect(numbers).toEqual(numbers.toSorted((one, two) => one - two));
  expect(new Set(numbers).size).toBe(3);
  expect(fromSeq).toBe(numbers.at(-1));
  expect(fromSeq).toBe(host.agentHost.serverSeq);
  expect(resource).toBe(URI);
  expect(state).toMatchObject({ content: [{ type: "unclassified", value: "onethree" }] });
});

test("what comes while content is read is in the snapshot exactly once", async () => {
  const { terminal, listener, channel } = await followed();
  terminal.write("a");
  await listener.until(1);
  const before = Promise.withResolvers<void>();
  const after = Promise.withResolvers<void>();
  terminal.beforeReading = before.promise;
  terminal.afterReading = after.promise;
  const preparing = channel.prepare();
  // These are one action for everybody else, but the reading sees only some of them.
  terminal.write("b");
  before.resolve();
  await Promise.resolve();
  await Promise.resolve();
  terminal.write("c");
  after.resolve();
  using prepared = await preparing;
  terminal.write("d");
  await listener.until(2);
  const newcomer = new Listener("nina");
  const { state } = prepared.take(newcomer.audience);
  channel.join(newcomer);
  terminal.write("e");
  await newcomer.until(1);
  const start = state as TerminalState;
  const mirrored = reduceTerminalActions(start, newcomer.actions, "lifecycle");
  expect(mirrored.content).toEqual([{ type: "unclassified", value: "abcde" }]);
  expect(newcomer.actions).toEqual([{ type: "terminal/data", data: "e" }]);
});

/** What a snapshot keeps of what comes while it is made. */
const RECENT_LENGTH = 512 * 1024;

const piece = (number: number): string => `${number}:${"x".repeat(64 * 1024)}\n`;

const textOf = ({ content }: TerminalState): string =>
  content.map((part) => (part.type === "command" ? part.output : part.value)).join("");

test("A-F1: a snapshot that waits in a flood stays small, has the newest output and says that it is provisional", async () => {
  const { terminal, listener, channel } = await followed();
  terminal.append({ type: "command", commandId, commandLine: "yes", quality: "exact" });
  terminal.write("the beginning");
  using prepared = await channel.prepare();
  expect(prepared.isProvisional).toBe(false);
  for (let count = 0; count < 200; count++) terminal.write(piece(count));
  await listener.until(203);
  expect(prepared.isProvisional).toBe(true);
  expect(prepared.length).toBeLessThan(2 * RECENT_LENGTH);
  const state = prepared.take(listener.audience).state as TerminalState;
  expect(terminal.readings).toBe(1);
  expect(textOf(state).length).toBeLessThan(RECENT_LENGTH);
  expect(textOf(state).endsWith(piece(198) + piece(199))).toBe(true);
  // What follows belongs to the command that floods.
  expect(state.content).toMatchObject([{ type: "command", commandLine: "yes", isComplete: false }]);
});

test("A-F1: content that a flood outran is read once more, and then told without the middle", async () => {
  const { terminal, listener, channel } = await followed();
  terminal.write("before");
  await listener.until(1);
  const gate = [Promise.withResolvers<void>(), Promise.withResolvers<void>()] as const;
  const floodTo = async (count: number, opened: PromiseWithResolvers<void>): Promise<void> => {
    for (let number = listener.told.length; number < count; number++) terminal.write(piece(number));
    await listener.until(count);
    opened.resolve();
  };
  terminal.afterReading = gate[0].promise;
  const preparing = channel.prepare();
  await turn();
  terminal.afterReading = gate[1].promise;
  await floodTo(100, gate[0]);
  await turn();
  await floodTo(200, gate[1]);
  using prepared = await preparing;
  expect(terminal.readings).toBe(2);
  expect(prepared.isProvisional).toBe(true);
  const state = prepared.take(listener.audience).state as TerminalState;
  expect(textOf(state).length).toBeLessThan(RECENT_LENGTH);
  expect(textOf(state).endsWith(piece(199))).toBe(true);
});

test("a snapshot and what follows give what a later snapshot says", async () => {
  const { terminal, listener, channel } = await followed();
  const start = await stateOf(channel, listener);
  terminal.write("$ ");
  terminal.append({ type: "command", commandId, commandLine: "vi", quality: "exact" });
  terminal.write("text");
  terminal.append({ type: "resize", cols: 100, rows: 30 });
  const clientId = ClientId.parse("olga#window");
  terminal.append({ type: "claim", claim: { kind: "client", clientId }, epoch: 2 });
  terminal.append({ type: "commandEnd", commandId, endedBy: "marker" });
  terminal.append({ type: "exit", exitCode: 3 });
  await listener.until(8);
  const mirrored = reduceTerminalActions(start, listener.actions, "lifecycle");
  const later = await stateOf(channel, listener);
  expect(later).toEqual({ ...mirrored, claim: { kind: "client", clientId: "window" } });
  expect(later).toMatchObject({ lifecycle: { status: "exited", exitCode: 3 }, cols: 100 });
});

test("who asks by another name is told by that name", async () => {
  const chosen = "agenthost-terminal:/u-1";
  const owner = { entityName: "Person", entityId: "olga", attributes: { ahpChannel: chosen } };
  const terminal = new FakeTerminal("t1", { owner });
  const { listener, channel } = await followed({}, terminal);
  channel.join(listener, URI);
  terminal.write("a");
  await listener.until(2);
  expect(listener.messages.map(({ channel: name }) => name)).toEqual([chosen, URI]);
  channel.leave(listener, chosen);
  terminal.write("b");
  await listener.until(3);
  expect(listener.messages[2]).toMatchObject({ channel: URI, action: { data: "b" } });
});

test("a feed that fails is opened again where it was", async () => {
  const { host, terminal, listener } = await followed({ retryMs: 1 });
  terminal.write("a");
  await listener.until(1);
  terminal.failure = new Error("the disk is away");
  terminal.write("b");
  await listener.until(2);
  expect(listener.actions.at(-1)).toEqual({ type: "terminal/data", data: "b" });
  expect(host.problems).toHaveLength(1);
});

test("a terminal that is disposed of is told to its end, and then nothing", async () => {
  const { host, terminal, listener, channel } = await followed({ rootMs: 0 });
  terminal.write("last");
  host.remove(terminal);
  expect(host.agentHost.findTerminal(URI, listener.context)).toBeUndefined();
  await turn();
  expect(channel.isEnded).toBe(false);
  terminal.append({ type: "exit", exitCode: 0 });
  terminal.end();
  await listener.until(2);
  await turn();
  expect(channel.isEnded).toBe(true);
  expect(listener.actions).toEqual([
    { type: "terminal/data", data: "last" },
    { type: "terminal/exited", exitCode: 0 },
  ]);
  await expect(channel.prepare()).rejects.toThrow("there is no channel");
});

test("a terminal whose end nobody saw is told to have ended", async () => {
  const { host, terminal, listener, channel } = await followed();
  terminal.end();
  await turn();
  expect(channel.isEnded).toBe(false);
  host.remove(terminal);
  await listener.until(1);
  expect(listener.actions).toEqual([{ type: "terminal/exited" }]);
  expect(channel.isEnded).toBe(true);
});

test("a channel that nobody uses is kept for who comes back, and then closed", async () => {
  const { host, terminal, listener, channel } = await followed({ channelMs: 20 });
  terminal.write("a");
  await listener.until(1);
  channel.leave(listener);
  expect(channel.isEnded).toBe(false);
  const { serverSeq } = host.agentHost;
  await expect.poll(() => channel.isEnded).toBe(true);
  terminal.write("nobody numbers this");
  const another = await host.agentHost.openTerminal(URI, listener.context);
  expect(another).not.toBe(channel);
  // Who has the last number there was has not seen what happened since.
  expect(another.after(serverSeq)).toBeUndefined();
  expect(another.after(host.agentHost.serverSeq)).toEqual([]);
});

test("a channel that nobody uses and nobody can come back to is closed soon", async () => {
  const limits = { channelMs: 60_000, lingerMs: 10, historyBytes: 1024, leastHistoryBytes: 1 };
  const { terminal, listener, channel } = await followed(limits);
  terminal.write("x".repeat(2000));
  await listener.until(1);
  channel.leave(listener);
  await expect.poll(() => channel.isEnded).toBe(true);
  expect(channel.after(0)).toBeUndefined();
});

test("two who open a terminal at the same time share its channel; one that went away meanwhile is unknown", async () => {
  const { host, listener, channel } = await followed();
  const terminal = new FakeTerminal("t2");
  host.add(terminal);
  const gate = Promise.withResolvers<void>();
  host.beforeOpening = gate.promise;
  const uri = "ahp-terminal:/t2";
  const opening = [uri, uri].map((name) => host.agentHost.openTerminal(name, listener.context));
  gate.resolve();
  const [one, other] = await Promise.all(opening);
  expect(one).toBe(other);
  expect(one).not.toBe(channel);
  const third = new FakeTerminal("t3");
  host.add(third);
  const late = host.agentHost.openTerminal("ahp-terminal:/t3", listener.context);
  host.remove(third);
  await expect(late).rejects.toMatchObject({ code: -32008 });
  await expect(
    host.agentHost.openTerminal("ahp-terminal:/never", listener.context),
  ).rejects.toMatchObject({ code: -32008 });
});

test("R-3: a feed that fails does not go on with another terminal that has the id by then", async () => {
  const { host, terminal, listener, channel } = await followed({ retryMs: 1, rootMs: 60_000 });
  terminal.write("mine");
  await listener.until(1);
  const another = new FakeTerminal("t1", {
    createdAt: "2026-02-03T04:05:06.000Z",
    owner: { entityName: "Person", entityId: "rita" },
  });
  host.terminals.set(terminal.facts.id, another);
  for (let count = 0; count < 5; count++) another.write("hers");
  terminal.failure = new Error("the disk is away");
  terminal.wake();
  await expect.poll(() => another.opened).toBe(1);
  await turn();
  host.changed();
  expect(await host.agentHost.openTerminal(URI, listener.context)).not.toBe(channel);
  expect(channel.isEnded).toBe(true);
  expect(listener.actions).toEqual([
    { type: "terminal/data", data: "mine" },
    { type: "terminal/exited" },
  ]);
});
