import { expect, test } from "vitest";
import { mayEnd } from "./keeper.ts";

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const running = { isOver: false };
const over = { isOver: true };

test.each([
  ["nothing is kept, for a moment", [], MINUTE_MS, false],
  ["nothing is kept, for long", [], 10 * MINUTE_MS, true],
  ["a program runs, however long", [over, running], 1000 * DAY_MS, false],
  ["what a program left is unread, for hours", [over], DAY_MS - 1, false],
  ["what a program left is unread, for a day", [over], DAY_MS, true],
])("when %s, the keeper may end: %#", (_case, ptys, quietMs, expected) => {
  expect(mayEnd(ptys, quietMs)).toBe(expected);
});
