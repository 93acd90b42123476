import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { Inbox } from "./inbox.ts";
import { FakeWire } from "./testing/fake-wire.ts";
import type { WireMessage } from "./wire.ts";

const text = (value: string): WireMessage => ({ kind: "text", bytes: Buffer.from(value) });

test("messages wait as long as there is a reason, and come in their order", () => {
  const wire = new FakeWire();
  const taken: string[] = [];
  const inbox: Inbox = new Inbox(wire, (message) => {
    const value = message.kind === "text" ? Buffer.from(message.bytes).toString() : message.kind;
    taken.push(value);
    if (value === "hold") inbox.hold("other");
  });
  inbox.push(text("1"));
  inbox.hold("one");
  expect(wire.isPaused).toBe(true);
  for (const value of ["2", "hold", "3"]) inbox.push(text(value));
  expect(taken).toEqual(["1"]);
  inbox.release("one");
  expect(taken).toEqual(["1", "2", "hold"]);
  expect(wire.isPaused).toBe(true);
  inbox.push(text("4"));
  inbox.release("other");
  expect(taken).toEqual(["1", "2", "hold", "3", "4"]);
  expect([wire.isPaused, inbox.isEmpty]).toEqual([false, true]);
});

test("thousands of messages are taken in many turns, and nothing more is read meanwhile", async () => {
  const wire = new FakeWire();
  const taken: string[] = [];
  const inbox = new Inbox(wire, (message) => {
    taken.push(message.kind === "text" ? Buffer.from(message.bytes).toString() : message.kind);
  });
  const values = Array.from({ length: 2000 }, (_, index) => String(index));
  for (const value of values) inbox.push(text(value));
  expect(taken.length).toBeLessThan(200);
  expect(wire.isPaused).toBe(true);
  let turns = 0;
  for (; !inbox.isEmpty; turns++) await setImmediate();
  expect(turns).toBeGreaterThan(10);
  await setImmediate();
  expect(taken).toEqual(values);
  expect(wire.isPaused).toBe(false);
});
