import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { collectWhenIdle } from "./idle-gc.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A process that works as much as it is told between two looks; tells how often it collected by then. */
function processOf() {
  const state = { workedMs: 0, collected: 0 };
  const timer = collectWhenIdle({
    workedMs: () => state.workedMs,
    collect: async () => {
      state.collected++;
      // A collection is work itself.
      state.workedMs += 20;
    },
  });
  return {
    /** How often it collected by each look, having worked so long before it. */
    look: async (...works: readonly number[]): Promise<readonly number[]> => {
      const collected: number[] = [];
      for (const workMs of works) {
        state.workedMs += workMs;
        await vi.advanceTimersByTimeAsync(5000);
        collected.push(state.collected);
      }
      return collected;
    },
    [Symbol.dispose]: () => clearInterval(timer),
  };
}

test("garbage is collected once it is quiet after work that was worth it, and not again until there was more", async () => {
  using process = processOf();
  expect(await process.look(4000, 400, 10)).toEqual([0, 0, 1]);
  expect(await process.look(10, 10, 0)).toEqual([1, 1, 1]);
  expect(await process.look(800, 0)).toEqual([1, 2]);
});

test("little work is not worth it, and adds up", async () => {
  using process = processOf();
  const collected = await process.look(...Array.from({ length: 14 }, () => 40));
  expect(collected.indexOf(1)).toBe(12);
});
