import { expect, test } from "vitest";
import { Bus } from "../bus/bus.ts";
import { append } from "../bus/testing/hearing.ts";
import { encodeEventMessage } from "./feed.ts";

test("S-F2: all listeners of one event share its bytes", async () => {
  const bus = new Bus();
  const listeners = Array.from({ length: 10 }, () => bus.subscribe({ channels: ["terminal:*.*"] }));
  append(bus, "a", 1, "x".repeat(1000));
  const told = await Promise.all(
    listeners.map(async (listener) => {
      const { value } = await listener[Symbol.asyncIterator]().next();
      if (value === undefined) throw new Error("nothing is told");
      return encodeEventMessage(value);
    }),
  );
  expect(new Set(told).size).toBe(1);
  expect(JSON.parse(String(told[0]))).toMatchObject({
    type: "event",
    event: { payload: { sequence: 1 } },
  });
});

test("a resync is no event", () => {
  const message = { type: "resync", reason: "a flood" } as const;
  expect(JSON.parse(String(encodeEventMessage(message)))).toEqual(message);
});
