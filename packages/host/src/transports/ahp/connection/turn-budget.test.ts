import { setImmediate } from "node:timers/promises";
import { expect, test } from "vitest";
import { TurnBudget } from "./semaphore.ts";

test("after some works others have a turn, and each has its own", async () => {
  const turns = new TurnBudget(3);
  let done = 0;
  const works = Array.from({ length: 8 }, async () => {
    await turns.take();
    done++;
  });
  await Promise.resolve();
  await Promise.resolve();
  const seen = [done];
  while (done < 8) {
    await setImmediate();
    seen.push(done);
  }
  await Promise.all(works);
  expect(seen[0]).toBe(3);
  expect(new Set(seen)).toEqual(new Set([3, 6, 8]));
});
