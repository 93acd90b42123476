import { expect, test } from "vitest";
import { ManualClock } from "../base/testing/manual-clock.ts";
import {
  FREE_FAILURES,
  MAX_DELAY_MS,
  MAX_FAILURES,
  FailedAuthLimiter,
} from "./failed-auth-limiter.ts";

const YEAR_MS = 365 * 24 * 3_600_000;

function makeThrottle() {
  const clock = new ManualClock();
  const throttle = new FailedAuthLimiter({ clock });
  const fail = (count: number, source = "a") =>
    Array.from({ length: count }, () => throttle.fail(source)).at(-1);
  return { clock, throttle, fail };
}

test("the first failures cost nothing", () => {
  const { fail } = makeThrottle();
  expect(fail(FREE_FAILURES)).toEqual({ delayMs: 0, isOver: false });
});

test("each one more is answered later, up to a second", () => {
  const { fail } = makeThrottle();
  fail(FREE_FAILURES);
  const delays = Array.from({ length: 20 }, () => fail(1)?.delayMs ?? 0);
  expect(delays).toEqual(delays.toSorted((one, other) => one - other));
  expect(delays[0]).toBeGreaterThan(0);
  expect(delays.at(-1)).toBe(MAX_DELAY_MS);
});

test("beyond the most a source is over, however many it goes on with", () => {
  const { fail } = makeThrottle();
  expect(fail(MAX_FAILURES)?.isOver).toBe(false);
  expect(fail(1)?.isOver).toBe(true);
  expect(fail(10_000)).toEqual({ delayMs: MAX_DELAY_MS, isOver: true });
});

test("a minute later nothing is held against it", () => {
  const { clock, fail, throttle } = makeThrottle();
  fail(MAX_FAILURES + 1);
  expect(throttle.isSpent("a")).toBe(true);
  clock.advance(59_999);
  expect(throttle.isSpent("a")).toBe(true);
  clock.advance(1);
  expect(throttle.isSpent("a")).toBe(false);
  expect(fail(1)).toEqual({ delayMs: 0, isOver: false });
});

test("failures of one source are not held against another", () => {
  const { fail } = makeThrottle();
  fail(MAX_FAILURES + 1);
  expect(fail(1, "b")).toEqual({ delayMs: 0, isOver: false });
});

test("a source that goes on is not forgotten among very many others", () => {
  const { fail, throttle } = makeThrottle();
  for (let other = 0; other < 5000; other += 1) {
    if (other % 100 === 0) throttle.fail("a");
    throttle.fail(`other ${other}`);
  }
  expect(fail(MAX_FAILURES - 49)?.isOver).toBe(true);
});

test("a clock that is set back or forward neither locks out nor forgives", () => {
  const clock = new ManualClock();
  const throttle = new FailedAuthLimiter({ clock, free: 1, most: 2 });
  throttle.fail("a");
  throttle.fail("a");
  for (const ms of [-YEAR_MS, 2 * YEAR_MS]) {
    clock.jump(ms);
    expect(throttle.isSpent("a")).toBe(true);
  }
  clock.advance(61_000);
  expect(throttle.isSpent("a")).toBe(false);
});
