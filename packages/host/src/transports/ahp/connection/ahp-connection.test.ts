import { afterEach, beforeEach, expect, test } from "vitest";
import { Rig, settle } from "./testing/rig.ts";

const CHANNEL = "ahp-terminal:/a";
const NEW_CLAIM = { kind: "client", clientId: "window" };

let rig: Rig;
beforeEach(() => {
  rig = new Rig();
});
afterEach(() => {
  rig[Symbol.dispose]();
});

test("what is no message is answered under no id, and the connection goes on", async () => {
  const client = rig.connect();
  client.wire.sayOther("binary");
  client.wire.sayOther("tooLong");
  client.wire.say("{");
  client.wire.say([{ jsonrpc: "2.0", id: 1, method: "ping" }]);
  client.wire.say({ id: 7, method: "ping" });
  await settle();
  const codes = client.answers.map(({ id, error }) => [id, error?.code]);
  expect(codes).toEqual([
    [null, -32600],
    [null, -32600],
    [null, -32700],
    [null, -32600],
    [7, -32600],
  ]);
  expect(await client.request("ping")).toMatchObject({ result: null });
});

test("before the handshake there is only ping, and there is one handshake", async () => {
  const client = rig.connect();
  expect(await client.request("ping")).toMatchObject({ result: null });
  expect(await client.request("subscribe")).toMatchObject({ error: { code: -32600 } });
  client.notify("dispatchAction", { channel: CHANNEL, clientSeq: 1, action: { type: "x" } });
  expect(await client.initialize({ clientId: "host" })).toMatchObject({ error: { code: -32602 } });
  expect(await client.initialize()).toMatchObject({ result: { protocolVersion: "1.0.0" } });
  expect(await client.initialize()).toMatchObject({ error: { code: -32600 } });
  expect(rig.present).toBe(1);
});

test("who speaks no common version is told, and only then the connection is closed", async () => {
  const client = rig.connect();
  client.wire.isReading = false;
  const answered = client.initialize({ protocolVersions: ["9.0.0"] });
  await settle();
  client.wire.takeAll();
  expect(await answered).toMatchObject({ error: { code: -32005 } });
  expect(client.wire.closed?.code).toBe(1000);
});

test("who does not wait for the handshake is served after it", async () => {
  rig.add("a");
  const client = rig.connect();
  void client.initialize();
  const { result } = await client.request("subscribe", { channel: CHANNEL });
  expect(result).toMatchObject({ snapshot: { resource: CHANNEL } });
  expect(client.answers.map(({ id }) => id)).toEqual([1, 2]);
});

test("a terminal that is being created can be used at once", async () => {
  const client = rig.connect();
  await client.initialize();
  await settle();
  const created = client.request("createTerminal", { channel: CHANNEL, claim: NEW_CLAIM });
  const subscribed = client.request("subscribe", { channel: CHANNEL });
  client.dispatch(CHANNEL, 1, { type: "terminal/input", data: "ls\r" });
  rig.add("a");
  expect(await created).toMatchObject({ result: null });
  expect(await subscribed).toMatchObject({ result: { snapshot: { resource: CHANNEL } } });
  await settle();
  expect(rig.done.at(-1)).toBe("type ls\r");
});

test("each of many requests is answered once, and too many are refused", async () => {
  rig[Symbol.dispose]();
  rig = new Rig({ requests: 3 });
  rig.add("a");
  const client = rig.connect();
  await client.initialize();
  const answers = await Promise.all(
    [1, 2, 3, 4, 5].map(() => client.request("subscribe", { channel: CHANNEL })),
  );
  const refused = answers.filter(({ error }) => error !== undefined);
  expect(refused.map(({ error }) => error?.code)).toEqual([-32011, -32011]);
  expect(client.answers).toHaveLength(6);
  await settle();
  expect(await client.request("nothing")).toMatchObject({ error: { code: -32601 } });
});

test("who leaves a channel before it is there does not follow it", async () => {
  const terminal = rig.add("a");
  const client = rig.connect();
  await client.initialize();
  const subscribed = client.request("subscribe", { channel: CHANNEL });
  client.notify("unsubscribe", { channel: CHANNEL });
  expect(await subscribed).toMatchObject({ result: { snapshot: { resource: CHANNEL } } });
  terminal.write("not for you");
  await settle();
  expect(client.mirrors.envelopes).toEqual([]);
  void client.request("subscribe", { channel: CHANNEL });
  await client.request("subscribe", { channel: CHANNEL });
  terminal.write("for you, once");
  await settle();
  expect(client.mirrors.envelopes.map(({ action }) => action)).toEqual([
    { type: "terminal/data", data: "for you, once" },
  ]);
});

test("a connection that ends at any moment leaves nothing behind", async () => {
  const terminal = rig.add("a");
  for (let turns = 0; turns < 12; turns++) {
    const client = rig.connect();
    void client.initialize({ initialSubscriptions: ["ahp-root://", CHANNEL] });
    void client.request("subscribe", { channel: CHANNEL });
    client.dispatch(CHANNEL, 1, { type: "terminal/input", data: "x" });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    client.vanish();
    terminal.write("more");
    await settle();
  }
  expect([rig.present, rig.attached]).toEqual([0, 0]);
  const client = rig.connect();
  await client.initialize();
  expect(rig.present).toBe(1);
  client.vanish();
  expect(rig.present).toBe(0);
});

test("who says nothing more is answered before the connection ends", async () => {
  rig.add("a");
  const client = rig.connect();
  void client.initialize();
  const subscribed = client.request("subscribe", { channel: CHANNEL });
  client.wire.end();
  await subscribed;
  await settle();
  expect(client.wire.closed?.code).toBe(1000);
});

test("what nobody looks at any more does not keep a connection that ends for another reason busy", async () => {
  const client = rig.connect();
  client.wire.isReading = false;
  void client.initialize({ protocolVersions: ["9.0.0"] });
  void client.request("ping");
  client.wire.end();
  await settle();
  client.wire.takeAll();
  expect(client.answers).toMatchObject([{ error: { code: -32005 } }]);
  expect(client.wire.closed?.code).toBe(1000);
});

test("a client that is gone before its terminal is there is known to be gone", async () => {
  const client = rig.connect();
  await client.initialize();
  await settle();
  const gate = Promise.withResolvers<void>();
  rig.beforeCalling = gate.promise;
  void client.request("createTerminal", { channel: CHANNEL, claim: NEW_CLAIM });
  client.vanish();
  expect(rig.presences).toEqual([1, 0]);
  gate.resolve();
  await settle();
  expect(rig.done).toHaveLength(1);
  expect(rig.presences).toEqual([1, 0, 1, 0]);
});

test("a channel is told under each name that it was asked for by, and no longer under one that was left", async () => {
  const chosen = "agenthost-terminal:/mine";
  const owner = { entityName: "System", entityId: "x", attributes: { ahpChannel: chosen } };
  const terminal = rig.add("a", { owner });
  const client = rig.connect();
  const many = Array.from({ length: 200 }, (_, index) => `nowhere:${index}`);
  await client.initialize({ initialSubscriptions: [...many, chosen] });
  await client.request("subscribe", { channel: CHANNEL });
  expect([...client.mirrors.states.keys()]).toEqual([chosen, CHANNEL]);
  terminal.write("both");
  await settle();
  client.notify("unsubscribe", { channel: chosen });
  terminal.write("one");
  client.dispatch(CHANNEL, 1, { type: "terminal/input", data: "x", terminal: "other:x" });
  await settle();
  const told = client.mirrors.envelopes.map(({ channel, action }) => [channel, action.type]);
  expect(told).toEqual([
    [chosen, "terminal/data"],
    [CHANNEL, "terminal/data"],
    [CHANNEL, "terminal/data"],
    [CHANNEL, "terminal/input"],
  ]);
});

test.each([
  ["0.4.0", []],
  ["0.5.1", []],
  ["0.5.2", ["serverInfo"]],
  ["0.8.0", ["serverInfo"]],
  ["0.9.0", ["serverInfo", "_meta"]],
  ["1.0.0", ["serverInfo", "_meta"]],
])("A-F7: the handshake of %s has no field that is newer", async (version, newer) => {
  const { result } = await rig.connect().initialize({ protocolVersions: [version] });
  const fields = ["protocolVersion", "serverSeq", "snapshots", "defaultDirectory", ...newer];
  expect(Object.keys(result as object).toSorted()).toEqual(fields.toSorted());
});
