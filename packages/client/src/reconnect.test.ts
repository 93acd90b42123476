import { NacreError } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffMs, ConnectionLost, isTemporary, waitFor } from "./follow.ts";
import { StepClock } from "./testing/step-clock.ts";

test("each attempt waits about twice as long as the one before, up to ten seconds", () => {
  expect([0, 1, 2, 3, 20, 1e6].map((attempt) => backoffMs(attempt, 0.999_999))).toEqual([
    250, 500, 1000, 2000, 10_000, 10_000,
  ]);
});

test("chance takes away at most half", () => {
  fc.assert(
    fc.property(fc.nat(), fc.double({ min: 0, max: 0.999, noNaN: true }), (attempt, chance) => {
      const longest = backoffMs(attempt, 1);
      const delay = backoffMs(attempt, chance);
      expect(delay).toBeGreaterThanOrEqual(longest / 2);
      expect(delay).toBeLessThanOrEqual(longest);
    }),
  );
});

test("waiting ends with its time, or at once when it is called off", async () => {
  const clock = new StepClock();
  const ending = new AbortController();
  const first = waitFor(clock, 10, ending.signal);
  expect(clock.waiting).toEqual([10]);
  clock.step();
  await first;
  const second = waitFor(clock, 20, ending.signal);
  ending.abort();
  await second;
  await waitFor(clock, 30, ending.signal);
  expect(clock.waiting).toEqual([]);
});

test("coming back helps against a host that is away, and not against a refusal", () => {
  expect(isTemporary(new ConnectionLost("gone"))).toBe(true);
  expect(isTemporary(new NacreError("unavailable", "starting"))).toBe(true);
  expect(isTemporary(new NacreError("unauthenticated", "no"))).toBe(false);
  expect(isTemporary(new NacreError("terminal_not_found", "no"))).toBe(false);
  expect(isTemporary(new TypeError("a bug"))).toBe(false);
});
