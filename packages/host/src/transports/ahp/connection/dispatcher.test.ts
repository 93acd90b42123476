import { CommandId, NacreError } from "@nacre/contracts";
import { afterEach, expect, test } from "vitest";
import { reduceTerminalActions } from "../protocol/reducer.ts";
import type { ConnectionLimits } from "./connection-limits.ts";
import { type Client, Rig, settle } from "./testing/rig.ts";

const [A, B] = ["ahp-terminal:/a", "ahp-terminal:/b"] as const;

let rig: Rig;

afterEach(() => {
  rig[Symbol.dispose]();
});

async function connected(limits: Partial<ConnectionLimits> = {}): Promise<Client> {
  rig = new Rig({ ...limits });
  rig.add("a");
  rig.add("b");
  const client = rig.connect();
  await client.initialize({ initialSubscriptions: [A, B] });
  await settle();
  return client;
}

const type = (client: Client, channel: string, clientSeq: number, data: string): void =>
  client.dispatch(channel, clientSeq, { type: "terminal/input", data });

const toldOf = (client: Client) =>
  client.mirrors.envelopes.map(({ origin, rejectionReason, action }) => ({
    ...(origin ? { seq: origin.clientSeq } : {}),
    ...(rejectionReason === undefined ? {} : { rejectionReason }),
    type: action.type,
  }));

test("what is typed on one terminal keeps its order, and others do not wait for it", async () => {
  const client = await connected();
  const gate = Promise.withResolvers<void>();
  rig.beforeTyping = gate.promise;
  type(client, A, 1, "1");
  await settle();
  rig.beforeTyping = undefined;
  type(client, A, 2, "2");
  client.dispatch(A, 3, { type: "terminal/resized", cols: 100, rows: 30 });
  type(client, A, 4, "3");
  type(client, B, 5, "other");
  await settle();
  expect(rig.done).toEqual(["type other"]);
  expect(await client.request("ping")).toMatchObject({ result: null });
  gate.resolve();
  await settle();
  expect(rig.done.slice(1)).toEqual(["type 1", "type 2", "resize 100×30", "type 3"]);
  expect(client.mirrors.envelopes.map(({ origin }) => origin?.clientSeq)).toEqual([5, 1, 2, 3, 4]);
  expect(client.mirrors.states.get(A)).toMatchObject({ cols: 100, rows: 30 });
});

test("of sizes that come together only the last that makes sense is given", async () => {
  const client = await connected();
  const sizes = [90, 100, 0];
  for (const [seq, cols] of sizes.entries()) {
    client.dispatch(A, seq, { type: "terminal/resized", cols, rows: 30 });
  }
  await settle();
  expect(rig.done).toEqual(["resize 100×30"]);
  const reasons = client.mirrors.envelopes.flatMap(({ origin, rejectionReason }) =>
    origin ? [[origin.clientSeq, rejectionReason]] : [],
  );
  expect(reasons).toEqual([
    [0, "another size was asked for since"],
    [1, undefined],
    [2, expect.stringContaining("action.cols")],
  ]);
});

test("what somebody else brought about meanwhile is told once, and not rejected then", async () => {
  const client = await connected();
  const [terminal] = rig.host.terminals.values();
  const gate = Promise.withResolvers<void>();
  rig.beforeCalling = gate.promise.then(() => {
    throw new NacreError("conflict", "too late");
  });
  client.dispatch(A, 1, { type: "terminal/titleChanged", title: "same" });
  await settle();
  terminal?.append({ type: "title", title: "same" });
  await settle();
  gate.resolve();
  await settle();
  expect(toldOf(client)).toEqual([{ seq: 1, type: "terminal/titleChanged" }]);
});

test("input waits for a program that does not read", async () => {
  const client = await connected();
  rig.full = 3;
  type(client, A, 1, "patient");
  while (rig.done.length === 0) await settle(1);
  expect(rig.done).toEqual(["type patient"]);
});

test("for a client that is gone nothing waits", async () => {
  const client = await connected();
  rig.full = Number.POSITIVE_INFINITY;
  type(client, A, 1, "in vain");
  await settle();
  client.vanish();
  while (rig.attached > 0) await settle(1);
  expect(rig.done).toEqual([]);
});

test("what was dispatched before the end of a connection is still done", async () => {
  const client = await connected();
  type(client, A, 1, "last");
  type(client, A, 2, "words");
  client.vanish();
  await settle();
  expect(rig.done).toEqual(["type last", "type words"]);
  expect([rig.attached, rig.present]).toEqual([0, 0]);
});

test("what may not be dispatched is rejected to its author, followed by what is true", async () => {
  const client = await connected();
  client.dispatch(A, 1, { type: "terminal/commandDetectionAvailable" });
  client.dispatch(A, 2, { type: "terminal/resized", cols: 0, rows: 5 });
  client.dispatch(A, 3, { type: "terminal/unheardOf" });
  client.dispatch("ahp-terminal:/nowhere", 4, { type: "terminal/input", data: "x" });
  client.dispatch("ahp-root://", 5, { type: "root/configChanged", config: {} });
  client.dispatch(A, 6, { type: "terminal/input", data: "x", terminal: B });
  client.dispatch(A, 7, { type: "root/configChanged", config: {} });
  await settle();
  expect(rig.done).toEqual([]);
  const told = toldOf(client).toSorted((one, other) => (one.seq ?? 99) - (other.seq ?? 99));
  expect(told.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, undefined]);
  expect(told.at(-1)).toEqual({ type: "terminal/resized" });
  expect(told.map(({ rejectionReason }) => typeof rejectionReason)).toEqual([
    ...Array.from({ length: 7 }, () => "string"),
    "undefined",
  ]);
  expect(told[0]?.rejectionReason).toContain("only comes from the host");
});

test.each([
  { type: "terminal/data", data: "forged" },
  { type: "terminal/cleared", terminal: B },
  { type: "terminal/commandExecuted", commandId: "c9", commandLine: "rm", timestamp: 1 },
  { type: "terminal/commandFinished", commandId: "c1", exitCode: 9 },
])("A-F5: clients that apply a rejected $type are right again after it", async (action) => {
  rig = new Rig();
  const terminal = rig.add("a", { detectsCommands: true });
  const commandId = CommandId.parse("c1");
  terminal.append({ type: "command", commandId, commandLine: "make", quality: "exact" });
  terminal.write("words");
  const client = rig.connect();
  await client.initialize({ initialSubscriptions: [A] });
  const truth = client.mirrors.states.get(A);
  client.dispatch(A, 1, action);
  await settle();
  const actions = client.mirrors.envelopes.map((envelope) => envelope.action);
  expect(client.mirrors.envelopes[0]).toMatchObject({ rejectionReason: expect.any(String) });
  expect(truth && reduceTerminalActions(truth, actions, "lifecycle")).toEqual(truth);
  terminal.write("more");
  await settle();
  expect(client.mirrors.envelopes.at(-1)?.action).toEqual({ type: "terminal/data", data: "more" });
});

test("A-F10: a rejection names clients as they name themselves, and says what to do once", async () => {
  const client = await connected();
  rig.failure = new NacreError("claim_held", "client olga#win-1 holds it; ask for control", {
    suggestion: "Ask for control.",
  });
  client.dispatch(A, 1, { type: "terminal/titleChanged", title: "mine" });
  await settle();
  const [{ rejectionReason } = {}] = client.mirrors.envelopes;
  expect(rejectionReason).toBe("client win-1 holds it; ask for control");
});

test("more actions than may wait are rejected, and the others are done", async () => {
  const client = await connected({ dispatches: 2 });
  const gate = Promise.withResolvers<void>();
  rig.beforeTyping = gate.promise;
  for (const seq of [1, 2, 3, 4]) type(client, A, seq, String(seq));
  await settle();
  expect(toldOf(client)).toMatchObject([{ seq: 3 }, { seq: 4 }]);
  gate.resolve();
  await settle();
  expect(rig.done).toEqual(["type 1", "type 2"]);
  type(client, A, 5, "5");
  await settle();
  expect(rig.done.at(-1)).toBe("type 5");
});

test("of a secret only its author hears, and not the text", async () => {
  const client = await connected();
  const other = rig.connect("other");
  await other.initialize({ initialSubscriptions: [A] });
  type(client, A, 1, "secret");
  type(client, A, 2, "open");
  await settle();
  const inputs = (of: Client) => of.mirrors.envelopes.map(({ action }) => action);
  const open = { type: "terminal/input", data: "open" };
  expect(inputs(client)).toEqual([{ type: "terminal/input", data: "" }, open]);
  expect(inputs(other)).toEqual([open]);
});
