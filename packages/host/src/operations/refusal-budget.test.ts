import { CallerId } from "@nacre/contracts";
import { expect, test } from "vitest";
import { REFUSAL_BURST, RefusalRateLimit, REFUSALS_PER_SECOND } from "./audit-trail.ts";

const MALLORY = CallerId.parse("mallory");

test("a caller that is refused without end is written down so often and no more, the rest is counted", () => {
  let now = 0;
  const budget = new RefusalRateLimit(() => now);
  const written = (count: number): number =>
    Array.from({ length: count }, () => budget.take(MALLORY)).filter((left) => left !== undefined)
      .length;
  expect(written(5000)).toBe(REFUSAL_BURST);
  now = 1000;
  expect(budget.take(MALLORY)).toBe(5000 - REFUSAL_BURST);
  expect(written(5000)).toBe(REFUSALS_PER_SECOND - 1);
  expect(budget.take(CallerId.parse("alice"))).toBe(0);
});
