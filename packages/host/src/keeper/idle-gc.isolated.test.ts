import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { collectWhenIdle } from "./idle-gc.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that works as much as it is told between two looks; tells how often it collected by then. */
function processOf() {
  const state = { workedMs: 0, collected: 0 };
  const timer = collectWhenIdle({
    workedMs: () => state.workedMs,
    collect: () => {
      state.collected++;
      // A collection is work itself.
      state.workedMs += 20;
    },
  });
  return {
    look: (workMs: number): number => {
      state.workedMs += workMs;
      vi.advanceTimersByTime(5000);
      return state.collected;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

test("garbage is collected once it is quiet after work that was worth it, and not again until there was more", () => {
  using process = processOf();
  expect([process.look(4000), process.look(400), process.look(10)]).toEqual([0, 0, 1]);
  expect([process.look(10), process.look(10), process.look(0)]).toEqual([1, 1, 1]);
  expect([process.look(800), process.look(0)]).toEqual([1, 2]);
});

test("little work is not worth it, and adds up", () => {
  using process = processOf();
  const collected = Array.from({ length: 14 }, () => process.look(40));
  expect(collected.indexOf(1)).toBe(12);
});
