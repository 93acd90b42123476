import { afterEach, beforeEach, expect, test } from "vitest";
import type { FakeTerminal } from "../channels/testing/fake-terminal.ts";
import { type Client, Rig, settle } from "./testing/rig.ts";

const [ROOT, A, B, GONE] = [
  "ahp-root://",
  "ahp-terminal:/a",
  "ahp-terminal:/b",
  "ahp-terminal:/gone",
] as const;

let rig: Rig;
let terminal: FakeTerminal;
let client: Client;

beforeEach(async () => {
  rig = new Rig();
  terminal = rig.add("a");
  rig.add("b");
  client = rig.connect();
  await client.initialize({ initialSubscriptions: [A, B] });
  await settle();
});

afterEach(() => rig[Symbol.dispose]());

const data = (text: string) => ({ action: { type: "terminal/data", data: text } });

/** Another connection of the same client. */
async function again(params: object): Promise<{ next: Client; result: unknown }> {
  const next = rig.connect(client.name);
  const { result, error } = await next.request("reconnect", { clientId: client.name, ...params });
  return { next, result: result ?? error };
}

test("who missed something gets it in order, and what is gone is missing", async () => {
  const lastSeenServerSeq = client.mirrors.lastSeen;
  client.vanish();
  terminal.write("one");
  await settle();
  terminal.write("two");
  const { next, result } = await again({ lastSeenServerSeq, subscriptions: [GONE, A, B, A] });
  expect(result).toMatchObject({
    type: "replay",
    actions: [data("one"), data("two")],
    missing: [GONE],
  });
  terminal.write("three");
  await settle();
  expect(next.mirrors.envelopes.slice(2)).toMatchObject([data("three")]);
  expect(next.mirrors.faults).toEqual([]);
});

test("what concerned the client alone is replayed, also on channels that are not there", async () => {
  const lastSeenServerSeq = client.mirrors.lastSeen;
  client.dispatch(GONE, 7, { type: "terminal/input", data: "x" });
  client.dispatch(A, 8, { type: "terminal/exited" });
  client.dispatch("ahp-terminal:/other", 9, { type: "terminal/input", data: "x" });
  await settle();
  client.vanish();
  const { result } = await again({ lastSeenServerSeq, subscriptions: [A, GONE] });
  const { actions } = result as { actions: { origin: { clientSeq: number } }[] };
  expect(actions.map(({ origin }) => origin.clientSeq)).toEqual([7, 8]);
});

test("a number that was never given, or a past that is too long, is answered with snapshots", async () => {
  const lastSeenServerSeq = client.mirrors.lastSeen;
  client.vanish();
  const ahead = await again({ lastSeenServerSeq: 1_000_000, subscriptions: [ROOT, A, GONE] });
  expect(ahead.result).toMatchObject({
    type: "snapshot",
    snapshots: [{ resource: ROOT }, { resource: A }],
  });
  expect(ahead.result).not.toHaveProperty("missing");
  for (let count = 0; count < 50; count++) {
    terminal.write("x".repeat(60_000));
    await settle(3);
  }
  const old = await again({ lastSeenServerSeq, subscriptions: [A, B] });
  expect(old.result).toMatchObject({ type: "snapshot" });
});

test("an unknown client is told so and may begin; a known one keeps its other connections", async () => {
  const stranger = rig.connect("stranger");
  const asked = { clientId: "stranger", lastSeenServerSeq: 0, subscriptions: [] };
  expect(await stranger.request("reconnect", asked)).toMatchObject({ error: { code: -32008 } });
  expect(await stranger.initialize()).toMatchObject({ result: { protocolVersion: "1.0.0" } });
  const { next } = await again({ lastSeenServerSeq: 1, subscriptions: [A] });
  terminal.write("both");
  await settle();
  for (const one of [client, next])
    expect(one.mirrors.envelopes.at(-1)).toMatchObject(data("both"));
  expect(rig.present).toBe(3);
});

test("channels with numbers of their own are answered one by one", async () => {
  const lastSeenServerSeq = client.mirrors.lastSeen;
  client.vanish();
  terminal.write("missed");
  await settle();
  const { next, result } = await again({
    subscriptions: [
      { channel: A, lastSeenServerSeq },
      { channel: B, lastSeenServerSeq: 0 },
      { channel: GONE, lastSeenServerSeq },
    ],
  });
  expect(result).toMatchObject({
    channels: [
      { kind: "replay", channel: A, actions: [data("missed")] },
      { kind: "snapshot", channel: B, snapshot: { resource: B } },
      { kind: "missing", channel: GONE },
    ],
  });
  terminal.write("live");
  await settle();
  expect(next.mirrors.envelopes).toMatchObject([data("live")]);
});

test("a list that waits to be told is in the answer, and does not come before it", async () => {
  const gate = Promise.withResolvers<void>();
  terminal.beforeReading = gate.promise;
  const cursors = [ROOT, A].map((channel) => ({ channel, lastSeenServerSeq: 0 }));
  const answered = again({ subscriptions: cursors });
  await settle();
  terminal.change({ title: "renamed" });
  gate.resolve();
  const { next, result } = await answered;
  const terminals = [{ title: "renamed" }, { title: "bash" }];
  expect(result).toMatchObject({ channels: [{ snapshot: { state: { terminals } } }, {}] });
  expect(next.wire.messages.map(({ method }) => method)).toEqual([undefined]);
});

test("A-F2: who leaves the channel out of what concerns the connection comes back and begins", async () => {
  const lastSeenServerSeq = client.mirrors.lastSeen;
  client.vanish();
  terminal.write("missed");
  const params = { channel: undefined, lastSeenServerSeq, subscriptions: [A], _meta: {} };
  const { result } = await again(params);
  expect(result).toMatchObject({ type: "replay", actions: [data("missed")] });
  const other = rig.connect("other");
  expect(await other.initialize({ channel: undefined })).toHaveProperty("result");
  expect(await other.request("listSessions", { channel: undefined })).toHaveProperty("result");
  const listed = await other.request("x-nacre/listTerminals", { channel: undefined });
  expect(listed.result).toMatchObject({ name: "listTerminals" });
});

test("A-F3: who counts only actions is not told again what its snapshot has", async () => {
  terminal.write("UNIQUE-1234");
  await settle();
  const late = rig.connect("late");
  const initialized = await late.initialize();
  const { serverSeq } = initialized.result as { readonly serverSeq: number };
  terminal.write(" and more");
  await settle();
  await late.request("subscribe", { channel: A });
  late.vanish();
  // The last action that it got is none at all.
  const next = rig.connect("late");
  const params = { clientId: "late", lastSeenServerSeq: serverSeq, subscriptions: [A] };
  const { result } = await next.request("reconnect", params);
  expect(result).toMatchObject({ type: "snapshot", snapshots: [{ resource: A }] });
  expect(JSON.stringify(next.mirrors.states.get(A)).match(/and more/g)).toHaveLength(1);
  next.vanish();
  // Who counts snapshots as well goes on from there.
  const third = rig.connect("late");
  const own = { ...params, lastSeenServerSeq: next.mirrors.lastSeen };
  expect((await third.request("reconnect", own)).result).toMatchObject({ type: "replay" });
  third.vanish();
  const cursors = [{ channel: A, lastSeenServerSeq: serverSeq }];
  const byChannel = { clientId: "late", subscriptions: cursors };
  const fourth = await rig.connect("late").request("reconnect", byChannel);
  expect(fourth.result).toMatchObject({ channels: [{ kind: "snapshot", channel: A }] });
});

test("windows are left alone", async () => {
  const windows = { items: [{ channel: A, lastAppliedServerSeq: 1 }] };
  const { result } = await again({ lastSeenServerSeq: 1, subscriptions: [A], windows });
  expect(result).not.toHaveProperty("windows");
});

test("who follows more than one answer holds begins anew, with what does fit", async () => {
  using small = new Rig({ handshakeLength: 100 });
  for (const uid of ["a", "b"]) small.add(uid).write("x".repeat(80));
  const known = small.connect();
  const initialSubscriptions = [A, B, ROOT];
  const { result } = await known.initialize({ initialSubscriptions });
  expect(result).toMatchObject({ snapshots: [{ resource: A }, { resource: ROOT }] });
  const next = small.connect();
  const params = { clientId: known.name, lastSeenServerSeq: 1_000_000 };
  const subscriptions = initialSubscriptions;
  const { error } = await next.request("reconnect", { ...params, subscriptions });
  expect(error).toMatchObject({ code: -32008 });
  expect(await next.initialize({ initialSubscriptions: [B] })).toMatchObject({
    result: { snapshots: [{ resource: B }] },
  });
  expect(await next.request("subscribe", { channel: A })).toMatchObject({
    result: { snapshot: { resource: A } },
  });
});
