import { expect, test } from "vitest";
import { Chapters, chapterAt, chapterSpot, idleStretches, MAX_CHAPTERS } from "./outline.ts";
import { entries } from "../testing/entries.ts";

test("commands and markers become chapters, with how commands ended", () => {
  const chapters = new Chapters();
  const [header, command, marker, end, running] = entries([
    { type: "header", cols: 80, rows: 24 },
    {
      type: "command",
      commandId: "c-1",
      commandLine: "make\nall",
      quality: "exact",
      elapsedMs: 10,
    },
    { type: "marker", label: "half way", elapsedMs: 20 },
    { type: "commandEnd", commandId: "c-1", exitCode: 2, endedBy: "marker", elapsedMs: 30 },
    { type: "command", commandId: "c-2", commandLine: "top", quality: "exact", elapsedMs: 40 },
  ]);
  // The end of a command may come with a later page.
  chapters.add([header, command, marker].filter((one) => one !== undefined));
  chapters.add([end, running].filter((one) => one !== undefined));
  expect(chapters.list).toEqual([
    {
      kind: "command",
      sequence: 2,
      atMs: 10,
      label: "make all",
      end: { atMs: 30, exitCode: 2, signal: undefined },
    },
    { kind: "marker", sequence: 3, atMs: 20, label: "half way" },
    { kind: "command", sequence: 5, atMs: 40, label: "top" },
  ]);
});

test("a recording with too many commands keeps the first, and lines that are pasted files are cut", () => {
  const chapters = new Chapters();
  const line = "x".repeat(60_000);
  const facts = Array.from({ length: MAX_CHAPTERS + 5 }, (_, at) => ({
    type: "command" as const,
    commandId: `c-${at}`,
    commandLine: line,
    quality: "exact" as const,
  }));
  chapters.add(entries(facts));
  expect(chapters.list).toHaveLength(MAX_CHAPTERS);
  expect(chapters.isFull).toBe(true);
  expect(chapters.list[0]?.label.length).toBeLessThan(250);
});

const three = [10, 2000, 4000].map((atMs, at) => ({
  kind: "command" as const,
  sequence: at + 1,
  atMs,
  label: `c${at}`,
}));

test("a place is in the last chapter that began before it", () => {
  expect([0, 10, 1999, 2000, 9000].map((ms) => chapterAt(three, ms))).toEqual([-1, 0, 0, 1, 2]);
  expect(chapterAt([], 5)).toBe(-1);
});

test("chapters are gone through both ways; the way back goes to the beginning of this one first", () => {
  const from = (positionMs: number, direction: 1 | -1) =>
    chapterSpot(three, { positionMs, durationMs: 9000 }, direction);
  expect(from(0, 1)).toMatchObject({ label: "c0", sequence: 1 });
  expect(from(10, 1)).toMatchObject({ label: "c1" });
  expect(from(4000, 1)).toEqual({ atMs: 9000 });
  expect(from(3500, -1)).toMatchObject({ label: "c1" });
  expect(from(2500, -1)).toMatchObject({ label: "c0" });
  expect(from(500, -1)).toEqual({ atMs: 0 });
});

test("where the points of a timeline name the same entry, nothing happened", () => {
  const points = [
    { sequence: 1, elapsedMs: 0 },
    { sequence: 4, elapsedMs: 1000 },
    { sequence: 4, elapsedMs: 2000 },
    { sequence: 4, elapsedMs: 3000 },
    { sequence: 9, elapsedMs: 4000 },
  ];
  expect(idleStretches(points, 1000)).toEqual([{ fromMs: 1000, toMs: 3000 }]);
  expect(idleStretches(points, 3000)).toEqual([]);
  expect(idleStretches([], 1000)).toEqual([]);
});
