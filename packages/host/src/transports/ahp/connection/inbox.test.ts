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
