import { expect, test } from "vitest";
import { RequestIds } from "./request-queue.ts";

test("a request that is not over is never forgotten, of the others the newest are remembered", () => {
  const ids = new RequestIds();
  ids.take("long");
  for (let index = 0; index < 5000; index++) {
    ids.take(`r${index}`);
    ids.end(`r${index}`);
  }
  expect(ids.isPending("long")).toBe(true);
  expect([ids.isOver("r0"), ids.isOver("r4999")]).toEqual([false, true]);
});

test("what was not done can be asked for again", () => {
  const ids = new RequestIds();
  ids.take("a");
  ids.forget("a");
  expect([ids.isPending("a"), ids.isOver("a")]).toEqual([false, false]);
});
