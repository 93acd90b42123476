import { expect, test } from "vitest";
import { LogLines } from "./log-lines.ts";

const linesOf = (...pieces: readonly string[]): readonly string[] => {
  const lines = new LogLines();
  const complete = pieces.flatMap((piece) => lines.push(Buffer.from(piece, "latin1")));
  return [...complete, ...lines.finish()];
};

test.each([
  ["colours and movements are left out", ["\x1b[31mred\x1b[m\r\n\x1b[2Kx\n"], ["red", "x"]],
  ["titles and links are left out", ["\x1b]2;t\x07a\x1b]8;;http://x\x1b\\b\n"], ["ab"]],
  ["a line that was begun anew has its last form", ["10%\r50%\r100%\r\n"], ["100%"]],
  ["letters that were taken back are gone", ["lx\b\x1b[Ks\n"], ["ls"]],
  ["letters and sequences may be cut anywhere", ["\xe2\x82", "\xac\x1b[3", "1m!\n"], ["€!"]],
  ["the last line needs no end", ["a\nb"], ["a", "b"]],
  ["whatever is left is made visible", ["a\x1b\u0000b\x9b\n"], ["a\\u001b\\u0000b\ufffd"]],
] as const)("%s", (_name, pieces, expected) => {
  expect(linesOf(...pieces)).toEqual(expected);
});
