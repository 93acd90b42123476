import { expect, test } from "vitest";
import { KeyedQueue, Semaphore } from "./keyed-queue.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("works of one key come one after the other, also after one that fails; others do not wait", async () => {
  const chains = new KeyedQueue();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const failing = chains.add("a", async () => {
    await gate.promise;
    log.push("a1");
    throw new Error("a1 failed");
  });
  const second = chains.add("a", async () => void log.push("a2"));
  await chains.add("b", async () => void log.push("b"));
  await turn();
  expect(log).toEqual(["b"]);
  gate.resolve();
  await expect(failing).rejects.toThrow("a1 failed");
  await second;
  expect(log).toEqual(["b", "a1", "a2"]);
});

test("a turnstile lets so many through at a time, in their order, whatever becomes of them", async () => {
  const turnstile = new Semaphore(2);
  const log: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const works = gates.map((gate, index) =>
    turnstile.run(async () => {
      log.push(index);
      await gate.promise;
    }),
  );
  await turn();
  expect(log).toEqual([0, 1]);
  gates[1]?.reject(new Error("one failed"));
  await expect(works[1]).rejects.toThrow("one failed");
  await turn();
  expect(log).toEqual([0, 1, 2]);
  for (const gate of gates) gate.resolve();
  await Promise.allSettled(works);
  expect(log).toEqual([0, 1, 2, 3]);
});
