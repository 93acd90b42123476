import { expect, test } from "vitest";
import { EventTokenBucket } from "./event-publisher.ts";

const MIB = 1024 * 1024;

/** How many pieces of a size a flood gets told, when it tries each millisecond for so long. */
function toldOf(
  budget: EventTokenBucket,
  clock: { now: number },
  bytes: number,
  ms: number,
): number {
  let told = 0;
  for (let at = 0; at < ms; at++) {
    clock.now++;
    if (budget.take(bytes)) told++;
  }
  return told;
}

test("a flood is told at the rate of the budget, and small events of others beside it always", () => {
  const clock = { now: 0 };
  const budget = new EventTokenBucket(() => clock.now);
  toldOf(budget, clock, 64 * 1024, 10_000);
  for (let second = 0; second < 10; second++) {
    const told = toldOf(budget, clock, 64 * 1024, 1000);
    expect(told * 64 * 1024).toBeLessThanOrEqual(MIB + 64 * 1024);
    expect(told * 64 * 1024).toBeGreaterThanOrEqual(MIB - 64 * 1024);
    expect(budget.take(1000)).toBe(true);
  }
});

test("what is shown after a quiet time is told at once, and what is more than that is not", () => {
  const clock = { now: 0 };
  const budget = new EventTokenBucket(() => clock.now);
  clock.now += 3_600_000;
  expect(budget.take(2 * MIB)).toBe(true);
  expect(budget.take(2 * MIB)).toBe(false);
  expect(budget.take(MIB)).toBe(true);
});

test("what was charged has to be saved again", () => {
  const clock = { now: 0 };
  const budget = new EventTokenBucket(() => clock.now);
  budget.charge(5 * MIB);
  expect(budget.take(1)).toBe(false);
  clock.now += 1001;
  expect(budget.take(1)).toBe(true);
});
