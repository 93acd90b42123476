import { expect, test } from "vitest";
import { UnrecordedRanges } from "./output-pipeline.ts";

/** Output that was lost in two parts, the first of them in two pieces. */
function lostOutput(): UnrecordedRanges {
  const lost = new UnrecordedRanges();
  for (const [start, end] of [
    [10, 12],
    [12, 20],
    [30, 40],
  ] as const) {
    lost.add({ start, end, isUnknown: false });
  }
  return lost;
}

test("a gap stands for the oldest of it, as far as it counts", () => {
  const lost = lostOutput();
  expect(lost.noteGap(6, 50)).toBe(16);
  expect(lost.firstOffset).toBe(16);
  expect(lost.noteGap(9, 50)).toBe(35);
  expect(lost.noteGap(100, 50)).toBe(40);
  expect(lost.isEmpty).toBe(true);
});

test("what is found after all was not lost", () => {
  const lost = lostOutput();
  expect(lost.noteFound(12, 20)).toBe(true);
  expect(lost.noteFound(20, 30)).toBe(false);
  expect(lost.noteGap(2, 50)).toBe(12);
  expect(lost.firstOffset).toBe(30);
});

test("a gap of unknown size stands for everything before it, also where that is told later", () => {
  const lost = lostOutput();
  expect(lost.noteGap(null, 50)).toBe(40);
  lost.add({ start: 40, end: 50, isUnknown: true });
  expect(lost.isEmpty).toBe(true);
  lost.add({ start: 50, end: 60, isUnknown: true });
  expect(lost.firstOffset).toBe(50);
});
