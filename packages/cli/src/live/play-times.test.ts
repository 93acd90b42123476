import { expect, test } from "vitest";
import { chapterAt, clockText, firstAfter, nextChapter, nextSpeed, waitMs } from "./play-track.ts";
import { playActions } from "./player.ts";

const events = [0, 100, 100, 5000].map((elapsedMs, at) => ({ sequence: at + 1, elapsedMs }));
const chapters = [
  { elapsedMs: 1000, label: "make" },
  { elapsedMs: 9000, label: "make test" },
];

test("the next event is the first one after a place", () => {
  expect([-1, 0, 99, 100, 5000].map((at) => firstAfter(events, at))).toEqual([0, 1, 1, 3, 4]);
});

test("times without anything are cut before they are made shorter by the speed", () => {
  expect(waitMs(0, 8000, { speed: 2, idleLimitMs: Number.POSITIVE_INFINITY })).toBe(4000);
  expect(waitMs(0, 8000, { speed: 2, idleLimitMs: 1000 })).toBe(500);
  expect(waitMs(500, 100, { speed: 1, idleLimitMs: 1000 })).toBe(0);
});

test("chapters are gone through both ways", () => {
  expect(nextChapter(chapters, 0, 1)?.label).toBe("make");
  expect(nextChapter(chapters, 1000, 1)?.label).toBe("make test");
  expect(nextChapter(chapters, 9000, 1)).toBeUndefined();
  expect(nextChapter(chapters, 12_000, -1)?.label).toBe("make test");
  expect(nextChapter(chapters, 9500, -1)?.label).toBe("make");
  expect(chapterAt(chapters, 999)).toBeUndefined();
  expect(chapterAt(chapters, 9001)?.label).toBe("make test");
});

test("speeds have steps and ends", () => {
  expect([nextSpeed(1, 1), nextSpeed(1, -1), nextSpeed(0.25, -1), nextSpeed(7, 1)]).toEqual([
    1.5, 0.5, 0.25, 8,
  ]);
});

test("places are told as clocks do", () => {
  expect([0, 7999, 61_000, 3_723_000].map(clockText)).toEqual(["0:00", "0:07", "1:01", "1:02:03"]);
});

test("keys are known in either spelling, and others mean nothing", () => {
  const actions = playActions(Buffer.from(" .[]<>\x1b[C\x1bOD\x1b[H\x1b[4~\x1b[5~xq"));
  expect(actions).toEqual([
    "pause",
    "step",
    "previousChapter",
    "nextChapter",
    "slower",
    "faster",
    "forward",
    "back",
    "start",
    "end",
    "quit",
  ]);
});
