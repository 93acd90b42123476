import { expect, test } from "vitest";
import { LogLines } from "./log-lines.ts";

const AT = "2026-01-31T09:30:00.000Z";
const LATER = "2026-01-31T09:30:01.000Z";

const linesOf = (...pieces: readonly string[]): readonly string[] => {
  const lines = new LogLines();
  const complete = pieces.flatMap((piece) => lines.push(Buffer.from(piece, "latin1"), AT));
  return [...complete, ...lines.finish()].map(({ text }) => text);
};

test.each([
  ["colours and movements are left out", ["\x1b[31mred\x1b[m\r\n\x1b[2Kx\n"], ["red", "x"]],
  ["titles and links are left out", ["\x1b]2;t\x07a\x1b]8;;http://x\x1b\\b\n"], ["ab"]],
  ["a line that was begun anew has its last form", ["10%\r50%\r100%\r\n"], ["100%"]],
  ["letters that were taken back are gone", ["lx\b\x1b[Ks\n"], ["ls"]],
  ["letters and sequences may be cut anywhere", ["\xe2\x82", "\xac\x1b[3", "1m!\n"], ["€!"]],
  ["the last line needs no end", ["a\nb"], ["a", "b"]],
  ["blank lines are lines", ["a\n\nb\n"], ["a", "", "b"]],
  [
    "lines that are drawn again are there once",
    ["a 1%\nb 1%\n", "\x1b[2Aa 9%\nb 9%\n"],
    ["a 9%", "b 9%"],
  ],
  ["nothing is left that acts", ["a\x00b\x9b\x1b[8m\x07\n"], ["ab\ufffd"]],
] as const)("%s", (_name, pieces, expected) => {
  expect(linesOf(...pieces)).toEqual(expected);
});

test("who follows gets the lines above the cursor at once, with when they were written", () => {
  const lines = new LogLines();
  expect(lines.push(Buffer.from("a\r\nb\r\nc"), AT)).toEqual([]);
  expect(lines.settle()).toEqual([
    { at: AT, text: "a" },
    { at: AT, text: "b" },
  ]);
  lines.push(Buffer.from("!\r\n"), LATER);
  expect(lines.settle()).toEqual([{ at: LATER, text: "c!" }]);
  expect(lines.finish()).toEqual([]);
});
