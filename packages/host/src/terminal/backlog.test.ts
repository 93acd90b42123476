import { expect, test } from "vitest";
import { MAX_DEFERRED_BYTES } from "../recording/deferred-writes.ts";
import { Backlog, weighWrite } from "./appender.ts";

test("a terminal that waits with little goes on, unless all of them wait with more than can be held", () => {
  const backlog = new Backlog();
  const own = weighWrite(1);
  const terminals = Math.floor(MAX_DEFERRED_BYTES / 2 / own);
  for (let n = 0; n < terminals; n++) backlog.add(own);
  expect(backlog.isFull(own)).toBe(false);
  backlog.add(own);
  expect(backlog.isFull(own)).toBe(true);
  backlog.remove(own);
  expect(backlog.isFull(own)).toBe(false);
});

test("when nothing waits any more, everybody goes on", async () => {
  const backlog = new Backlog();
  backlog.add(MAX_DEFERRED_BYTES);
  const turns = [1, 2, 3].map(() => backlog.turn(() => undefined));
  backlog.remove(MAX_DEFERRED_BYTES);
  expect(await Promise.all(turns)).toHaveLength(3);
});
