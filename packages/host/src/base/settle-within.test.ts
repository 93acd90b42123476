import { expect, test } from "vitest";
import { settleWithin } from "./settle-within.ts";

const LONG_MS = 60_000;

test("what comes in time is brought, a failure as well", async () => {
  expect(await settleWithin(Promise.resolve(7), LONG_MS)).toBe(7);
  const failing = settleWithin(Promise.reject(new Error("broken")), LONG_MS);
  await expect(failing).rejects.toThrow("broken");
});

test("what takes longer brings nothing, and its failure later troubles nobody", async () => {
  const late = Promise.withResolvers<number>();
  expect(await settleWithin(late.promise, 1)).toBeUndefined();
  // An unhandled rejection would fail this run.
  late.reject(new Error("too late"));
  await new Promise((resolve) => setImmediate(resolve));
});
