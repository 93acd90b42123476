import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Coalescer } from "./coalescer.ts";

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

const noFailure = (error: unknown): never => {
  throw error;
};

/** Ten a second; what runs is noted with its time. */
function tenPerSecond(run: (key: string) => void | Promise<void> = () => undefined) {
  const start = performance.now();
  const runs: string[] = [];
  const coalescer = new Coalescer<string>({
    perSecond: 10,
    run: (key) => {
      runs.push(`${key} ${performance.now() - start}`);
      return run(key);
    },
    failed: noFailure,
  });
  return { coalescer, runs };
}

test("the first is done at once, the last at the end of the pause, the rest not at all", async () => {
  const { coalescer, runs } = tenPerSecond();
  for (let count = 0; count < 50; count += 1) coalescer.ask("a");
  expect(runs).toEqual(["a 0"]);
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs).toEqual(["a 0", "a 100"]);
  expect(vi.getTimerCount()).toBe(0);
});

test("a flood is done ten times a second, and once after it", async () => {
  const { coalescer, runs } = tenPerSecond();
  for (let time = 0; time < 995; time += 5) {
    coalescer.ask("a");
    await vi.advanceTimersByTimeAsync(5);
  }
  expect(runs).toHaveLength(10);
  await vi.advanceTimersByTimeAsync(1000);
  expect(runs.slice(-2)).toEqual(["a 900", "a 1000"]);
});

test("keys do not wait for each other", async () => {
  const { coalescer, runs } = tenPerSecond();
  coalescer.ask("a");
  await vi.advanceTimersByTimeAsync(50);
  coalescer.ask("b");
  coalescer.ask("a");
  await vi.advanceTimersByTimeAsync(500);
  expect(runs).toEqual(["a 0", "b 50", "a 100"]);
});

test("what is asked while a long run goes on is done after it, never beside it", async () => {
  const ends: (() => void)[] = [];
  const { coalescer, runs } = tenPerSecond(() => new Promise((resolve) => ends.push(resolve)));
  coalescer.ask("a");
  coalescer.ask("a");
  await vi.advanceTimersByTimeAsync(250);
  expect(runs).toEqual(["a 0"]);
  ends[0]?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(runs).toEqual(["a 0", "a 250"]);
});

test("a run that fails is reported and the next one happens", async () => {
  const failures: unknown[] = [];
  const coalescer = new Coalescer<string>({
    perSecond: 10,
    run: () => {
      throw new Error("no");
    },
    failed: (error) => failures.push(error),
  });
  coalescer.ask("a");
  coalescer.ask("a");
  await vi.advanceTimersByTimeAsync(100);
  expect(failures).toEqual([new Error("no"), new Error("no")]);
});

test("nothing is done for a forgotten key, or after the end", async () => {
  const { coalescer, runs } = tenPerSecond();
  for (const key of ["a", "a", "b", "b"]) coalescer.ask(key);
  coalescer.forget("a");
  await vi.advanceTimersByTimeAsync(50);
  coalescer[Symbol.dispose]();
  coalescer.ask("c");
  await vi.advanceTimersByTimeAsync(1000);
  expect([runs, vi.getTimerCount()]).toEqual([["a 0", "b 0"], 0]);
});
