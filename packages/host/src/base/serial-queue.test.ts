import { expect, test } from "vitest";
import { KeyedSerialQueue, SerialQueue } from "./serial-queue.ts";

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("works come one after the other, also after one that fails, and are settled after the last", async () => {
  const queue = new SerialQueue();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const failing = queue.run(async () => {
    await gate.promise;
    throw new Error("first failed");
  });
  const second = queue.run(async () => log.push("second"));
  const settled = queue.settled.then(() => log.push("settled"));
  await turn();
  expect(log).toEqual([]);
  gate.resolve();
  await expect(failing).rejects.toThrow("first failed");
  expect(await second).toBe(1);
  await settled;
  expect(log).toEqual(["second", "settled"]);
});

test("works of one key come one after the other, also after one that fails; others do not wait", async () => {
  const queue = new KeyedSerialQueue();
  const log: string[] = [];
  const gate = Promise.withResolvers<void>();
  const failing = queue.run("a", async () => {
    await gate.promise;
    log.push("a1");
    throw new Error("a1 failed");
  });
  const second = queue.run("a", async () => void log.push("a2"));
  await queue.run("b", async () => void log.push("b"));
  await turn();
  expect(log).toEqual(["b"]);
  gate.resolve();
  await expect(failing).rejects.toThrow("a1 failed");
  await second;
  expect(log).toEqual(["b", "a1", "a2"]);
});
