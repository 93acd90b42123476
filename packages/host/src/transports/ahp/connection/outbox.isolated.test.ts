import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { CONNECTION_LIMITS, type ConnectionLimits } from "./connection-limits.ts";
import { type ChannelQueue, Outbox } from "./outbox.ts";
import { FakeWire } from "./testing/fake-wire.ts";

/** Collects all garbage now. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
}

/** A box whose client does not read. */
function stalled(limits: Partial<ConnectionLimits> = {}) {
  const wire = new FakeWire();
  wire.isReading = false;
  const told: string[] = [];
  const outbox = new Outbox(
    wire,
    { ...CONNECTION_LIMITS, ...limits },
    {
      handlePressure: (isHigh) => void told.push(isHigh ? "high" : "low"),
      handleBehind: () => void told.push("behind"),
      handleCalm: () => void told.push("calm"),
      handleProblem: (error) => void told.push(String(error)),
    },
  );
  return { wire, outbox, told };
}

const lane = (): ChannelQueue => ({ isBehind: false });
const item = (text: string, bytes = text.length) => ({ bytes, makeFrame: () => text });

test("what goes in comes out in the same order, whatever it is", () => {
  const { wire, outbox } = stalled({ inFlightBytes: 1 });
  const [one, other] = [lane(), lane()];
  outbox.send(one, item("1"));
  outbox.answer("2");
  outbox.send(other, item("3"));
  outbox.sendOwn(item("4"));
  outbox.send(one, item("5"));
  expect(wire.sent).toEqual(["1"]);
  wire.takeAll();
  expect(wire.sent).toEqual(["1", "2", "3", "4", "5"]);
});

test("what was sent is not kept", async () => {
  const { wire, outbox } = stalled();
  wire.isReading = true;
  const sendOne = (): WeakRef<ChannelQueue> => {
    const one = lane();
    outbox.send(one, item("1"));
    return new WeakRef(one);
  };
  const sent = sendOne();
  // A turn of its own: what was looked at in this one is kept until its end.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect([wire.sent, sent.deref()]).toEqual([["1"], undefined]);
});

test("beyond the bound the busiest lanes are left out, and answers never", () => {
  const { wire, outbox, told } = stalled({ inFlightBytes: 1, calmBytes: 0, waitingBytes: 10_000 });
  const [busy, calm] = [lane(), lane()];
  outbox.answer("in flight");
  outbox.send(calm, item("calm", 100));
  outbox.answer("answer");
  for (let count = 0; count < 20; count++) outbox.send(busy, item("busy", 1000));
  expect([busy.isBehind, calm.isBehind]).toEqual([true, false]);
  expect(told).toEqual(["behind"]);
  expect(outbox.waitingBytes).toBeLessThan(1000);
  wire.takeAll();
  expect(wire.sent).toEqual(["in flight", "calm", "answer"]);
  expect(told).toContain("calm");
});

test("a list that still waits is replaced by the next one, at its place", () => {
  const { wire, outbox } = stalled({ inFlightBytes: 1 });
  const [root, terminal] = [lane(), lane()];
  outbox.answer("in flight");
  outbox.replace(root, item("list 1"));
  outbox.send(terminal, item("data"));
  outbox.replace(root, item("list 2"));
  for (let count = 3; count < 2000; count++) outbox.replace(root, item(`list ${count}`));
  expect(outbox.waitingBytes).toBeLessThan(500);
  wire.takeAll();
  expect(wire.sent).toEqual(["in flight", "data", "list 1999"]);
});

test("while too many answers wait, nobody should make more", async () => {
  const { wire, outbox, told } = stalled({ inFlightBytes: 1, calmBytes: 0, answerBytes: 1000 });
  outbox.answer("in flight");
  outbox.answer("x".repeat(2000));
  expect(told).toEqual(["high"]);
  let hasRoom = false;
  const room = outbox.room().then(() => {
    hasRoom = true;
  });
  await Promise.resolve();
  expect(hasRoom).toBe(false);
  wire.takeAll();
  await room;
  expect(told).toContain("low");
});

test("who waits for room is let go with the connection", async () => {
  const { outbox } = stalled({ inFlightBytes: 1, calmBytes: 0, answerBytes: 1000 });
  outbox.answer("in flight");
  outbox.answer("x".repeat(2000));
  const room = outbox.room();
  outbox[Symbol.dispose]();
  await expect(room).resolves.toBeUndefined();
});

test("the wire is closed once everything is sent, and nothing comes after", () => {
  const { wire, outbox } = stalled({ inFlightBytes: 1 });
  outbox.answer("1");
  outbox.answer("2");
  outbox.end(1000, "done");
  outbox.answer("3");
  expect(wire.closed).toBeUndefined();
  wire.takeAll();
  expect(wire.sent).toEqual(["1", "2"]);
  expect(wire.closed).toEqual({ code: 1000, reason: "done" });
});

test("who never reads what its client does elsewhere is cut off", () => {
  const { wire, outbox } = stalled({ inFlightBytes: 1, ownBytes: 10_000 });
  for (let count = 0; count < 20; count++) outbox.sendOwn(item("own", 1000));
  expect(wire.closed?.code).toBe(1013);
  expect(outbox.waitingBytes).toBeLessThan(20_000);
});

test("a frame that cannot be made costs nothing but itself", () => {
  const { wire, outbox, told } = stalled();
  const broken = { bytes: 1, makeFrame: (): string => unmakeable() };
  outbox.sendOwn(broken);
  outbox.answer("next");
  expect(wire.sent).toEqual(["next"]);
  expect(told.join()).toContain("cannot be made");
});

const unmakeable = (): never => {
  throw new Error("cannot be made");
};

const step = fc.oneof(
  fc.record({ kind: fc.constant("send" as const), lane: fc.nat(2), bytes: fc.nat(2000) }),
  fc.record({ kind: fc.constant("answer" as const), bytes: fc.nat(500) }),
  fc.record({ kind: fc.constant("take" as const) }),
);

test("whatever happens, memory is bounded, order is kept, and of a lane nothing is missing in the middle", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 300 }), (steps) => {
      const { wire, outbox } = stalled({ inFlightBytes: 3000, waitingBytes: 10_000 });
      const lanes = [lane(), lane(), lane()];
      const accepted: string[] = [];
      for (const [index, one] of steps.entries()) {
        if (one.kind === "take") wire.takeAll();
        else if (one.kind === "answer") outbox.answer(`${index} answer`);
        else {
          const target = lanes[one.lane] ?? lane();
          if (!target.isBehind) accepted.push(`${index} lane ${one.lane}`);
          outbox.send(target, item(`${index} lane ${one.lane}`, one.bytes));
        }
        expect(outbox.waitingBytes).toBeLessThan(10_000 + 300 * 700);
      }
      wire.takeAll();
      const numbers = wire.sent.map((text) => Number.parseInt(text, 10));
      expect(numbers).toEqual(numbers.toSorted((one, other) => one - other));
      for (const [number, { isBehind }] of lanes.entries()) {
        const of = (texts: readonly string[]) =>
          texts.filter((text) => text.endsWith(`lane ${number}`));
        const sent = of(wire.sent);
        expect(sent).toEqual(of(accepted).slice(0, sent.length));
        expect(isBehind || sent.length === of(accepted).length).toBe(true);
      }
      const answers = steps.filter(({ kind }) => kind === "answer").length;
      expect(wire.sent.filter((text) => text.endsWith("answer"))).toHaveLength(answers);
    }),
  );
});
