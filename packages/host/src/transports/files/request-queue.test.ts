import { expect, test } from "vitest";
import { RequestQueue } from "./request-queue.ts";

const options = { handleProblem: () => undefined, handleRoom: () => undefined };

test("requests begin in order, no faster than allowed, and run beside each other", async () => {
  const limits = { requestsPerSecond: 5, maxRunning: 100, maxWaiting: 100 };
  await using queue = new RequestQueue({ limits, ...options });
  const begun: number[] = [];
  const startedMs: number[] = [];
  const all = Promise.withResolvers<void>();
  for (let index = 0; index < 12; index++) {
    queue.add({
      begin: async () => {
        await Promise.resolve();
        begun.push(index);
        startedMs.push(performance.now());
      },
      // Ends only when all have begun.
      run: async () => {
        if (begun.length === 12) all.resolve();
        await all.promise;
      },
    });
  }
  await all.promise;
  expect(begun).toEqual(Array.from({ length: 12 }, (_, index) => index));
  const gaps = startedMs.slice(5).map((at, index) => at - (startedMs[index] ?? 0));
  // A timer may fire a little early.
  expect(Math.min(...gaps)).toBeGreaterThan(980);
});

test("at most so many run at once, and the room for more is counted", async () => {
  const limits = { requestsPerSecond: 1000, maxRunning: 2, maxWaiting: 3 };
  let rooms = 0;
  await using queue = new RequestQueue({ limits, ...options, handleRoom: () => void rooms++ });
  const gates = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
  const begun = gates.map(() => Promise.withResolvers<void>());
  for (const [index, gate] of gates.entries()) {
    queue.add({
      begin: async () => begun[index]?.resolve(),
      run: () => gate.promise,
    });
  }
  await begun[1]?.promise;
  expect(queue.room).toBe(0);
  gates[0]?.resolve();
  await begun[2]?.promise;
  expect(queue.room).toBe(1);
  expect(rooms).toBe(1);
  for (const gate of gates) gate.resolve();
  await begun[4]?.promise;
  expect(queue.room).toBe(3);
});

test("a request that fails is reported, and the next one runs", async () => {
  const limits = { requestsPerSecond: 1000, maxRunning: 1, maxWaiting: 10 };
  const problems: unknown[] = [];
  const done = Promise.withResolvers<void>();
  await using queue = new RequestQueue({
    limits,
    ...options,
    handleProblem: (error) => void problems.push(error),
  });
  queue.add({ begin: () => Promise.reject(new Error("no begin")), run: async () => undefined });
  queue.add({ begin: async () => undefined, run: () => Promise.reject(new Error("no run")) });
  queue.add({ begin: async () => undefined, run: async () => done.resolve() });
  await done.promise;
  expect(problems.map(String)).toEqual(["Error: no begin", "Error: no run"]);
});
