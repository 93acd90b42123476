import { expect, test } from "vitest";
import { paginate } from "./handler.ts";

const keyOf = (item: number): number => item * 10;

test.each([
  ["fewer than the page holds", [1], 2, [1], { truncated: false }],
  ["as many as the page holds", [1, 2], 2, [1, 2], { truncated: false }],
  ["one more than the page holds", [1, 2, 3], 2, [1, 2], { truncated: true, nextAfter: 20 }],
  ["nothing", [], 2, [], { truncated: false }],
])("%s", (_what, items, limit, page, more) => {
  expect(paginate(items, limit, keyOf)).toEqual([page, more]);
});
