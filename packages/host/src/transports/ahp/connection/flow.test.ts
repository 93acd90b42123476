// Whatever a client does, and however slow it is: it ends up with what is true.
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Client, Rig, settle } from "./testing/rig.ts";

const CHANNELS = ["ahp-terminal:/a", "ahp-terminal:/b"] as const;

/** So low that everything happens in a short test. */
const LIMITS = { inFlightBytes: 1500, waitingBytes: 4000, calmBytes: 500, replayBytes: 3000 };
const CHANNEL_LIMITS = { historyBytes: 6000, leastHistoryBytes: 6000 };

const step = fc.oneof(
  {
    weight: 9,
    arbitrary: fc.record({
      write: fc.nat(1),
      isTold: fc.boolean(),
      bytes: fc.integer({ min: 1, max: 1500 }),
    }),
  },
  { weight: 2, arbitrary: fc.constant("stall" as const) },
  { weight: 1, arbitrary: fc.constant("read" as const) },
  { weight: 1, arbitrary: fc.constant("reconnect" as const) },
  { weight: 1, arbitrary: fc.constant("subscribe" as const) },
  { weight: 3, arbitrary: fc.constant("turn" as const) },
);

/** Another connection of the same client goes on with what it knows. */
async function comeBack(rig: Rig, before: Client): Promise<Client> {
  before.vanish();
  const client = rig.connect(before.name, before.mirrors);
  const { lastSeen: lastSeenServerSeq } = before.mirrors;
  const clientId = before.name;
  await client.request("reconnect", { clientId, lastSeenServerSeq, subscriptions: CHANNELS });
  return client;
}

test("a client that stalls, reads and comes back at any moment has every action once, or is told anew", async () => {
  const seen = new Set<unknown>();
  await fc.assert(
    fc.asyncProperty(
      fc.array(step, { minLength: 20, maxLength: 80, size: "max" }),
      async (steps) => {
        using rig = new Rig(LIMITS, CHANNEL_LIMITS);
        const terminals = [rig.add("a"), rig.add("b")];
        let client = rig.connect();
        await client.initialize({ initialSubscriptions: CHANNELS });
        let written = 0;
        for (const one of steps) {
          if (typeof one === "object") {
            terminals[one.write]?.write(`${written++}:${"x".repeat(one.bytes)}\n`);
            if (one.isTold) await settle(1);
          } else if (one === "stall") client.wire.isReading = false;
          else if (one === "turn") await settle(2);
          else if (one === "reconnect") client = await comeBack(rig, client);
          else if (one === "subscribe") void client.request("subscribe", { channel: CHANNELS[0] });
          else {
            client.wire.isReading = true;
            client.wire.takeAll();
          }
        }
        client.wire.isReading = true;
        client.wire.takeAll();
        await settle(30);
        const fresh = rig.connect("fresh");
        await fresh.initialize({ initialSubscriptions: CHANNELS });
        expect(client.mirrors.states).toEqual(fresh.mirrors.states);
        expect(client.mirrors.faults).toEqual([]);
        for (const { result } of client.answers) {
          const { type } = (result ?? {}) as { readonly type?: unknown };
          seen.add(type);
        }
        if (client.mirrors.envelopes.some(({ action }) => action.type === "terminal/cleared")) {
          seen.add("told anew");
        }
      },
    ),
    { numRuns: 300 },
  );
  // Everything that can happen did.
  expect([...seen]).toEqual(expect.arrayContaining(["replay", "snapshot", "told anew"]));
});

test("who was told of one terminal while another was left out cannot go on from the number it has", async () => {
  using rig = new Rig(LIMITS, { ...CHANNEL_LIMITS, historyBytes: 100_000 });
  const [flooding, calm] = [rig.add("a"), rig.add("b")];
  const client = rig.connect();
  await client.initialize({ initialSubscriptions: CHANNELS });
  client.wire.isReading = false;
  for (let count = 0; count < 8; count++) {
    flooding.write("x".repeat(1000));
    await settle(3);
  }
  calm.write("calm");
  await settle(3);
  client.wire.takeAll();
  expect(client.mirrors.states.get(CHANNELS[1])?.content).toHaveLength(1);
  const again = await comeBack(rig, client);
  expect(again.answers[0]?.result).toMatchObject({ type: "snapshot" });
  again.vanish();
  const { result } = (await comeBack(rig, again)).answers[0] ?? {};
  flooding.write("more");
  await settle();
  expect(result).toHaveProperty("type");
  const fresh = rig.connect("fresh");
  await fresh.initialize({ initialSubscriptions: CHANNELS });
  await settle();
  expect(again.mirrors.states).toEqual(fresh.mirrors.states);
});

test("what was left out is told anew as soon as the client reads, and then it goes on by itself", async () => {
  using rig = new Rig(LIMITS, CHANNEL_LIMITS);
  const terminal = rig.add("a");
  const client = rig.connect();
  await client.initialize({ initialSubscriptions: [CHANNELS[0]] });
  client.wire.isReading = false;
  for (let count = 0; count < 40; count++) {
    terminal.write(`${count}:${"x".repeat(1000)}`);
    await settle(1);
  }
  expect(client.wire.sent.length).toBeLessThan(5);
  client.wire.isReading = true;
  client.wire.takeAll();
  await settle();
  terminal.write("live again");
  await settle();
  const types = client.mirrors.envelopes.map(({ action }) => action.type);
  expect(types.filter((type) => type === "terminal/cleared")).toHaveLength(1);
  const [part] = client.mirrors.states.get(CHANNELS[0])?.content ?? [];
  expect(part).toMatchObject({ value: expect.stringMatching(/^0:x.*39:x+live again$/) });
  const again = await comeBack(rig, client);
  expect(again.answers[0]?.result).toMatchObject({ type: "replay", actions: [] });
});

test("A-F1: who was shown something provisional in a flood is told anew when there is a better one, and begins anew when it comes back before", async () => {
  using rig = new Rig({ retellMs: 1 });
  const terminal = rig.add("a");
  terminal.write("the beginning ");
  terminal.isFlooding = true;
  const client = rig.connect();
  await client.initialize({ initialSubscriptions: [CHANNELS[0]] });
  terminal.write("more ");
  await expect.poll(() => client.mirrors.envelopes.length).toBe(1);
  await expect.poll(() => terminal.readings).toBeGreaterThan(2);
  expect(client.mirrors.envelopes.map(({ action }) => action.type)).toEqual(["terminal/data"]);
  const again = await comeBack(rig, client);
  expect(again.answers[0]?.result).toMatchObject({ type: "snapshot" });
  terminal.isFlooding = false;
  const types = (): string[] => again.mirrors.envelopes.slice(1).map(({ action }) => action.type);
  await expect.poll(() => types().includes("terminal/cleared")).toBe(true);
  await settle();
  const [part] = again.mirrors.states.get(CHANNELS[0])?.content ?? [];
  expect(part).toMatchObject({ value: "the beginning more " });
  const { readings } = terminal;
  await settle(50);
  expect(terminal.readings).toBe(readings);
  expect(again.mirrors.faults).toEqual([]);
});
