import { expect, test } from "vitest";
import { Semaphore } from "./semaphore.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("a semaphore lets so many through at a time, in their order, whatever becomes of them", async () => {
  const semaphore = new Semaphore(2);
  const log: number[] = [];
  const gates = [0, 1, 2, 3].map(() => Promise.withResolvers<void>());
  const works = gates.map((gate, index) =>
    semaphore.run(async () => {
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
