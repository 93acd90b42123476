import { expect, test } from "vitest";
import { toBytes } from "./testing/rendering.ts";
import type { TextStyle } from "./text-style.ts";
import { TextRenderer } from "./text-renderer.ts";

function runsOf(output: string): unknown {
  const renderer = new TextRenderer({ size: { cols: 40, rows: 5 }, styled: true });
  renderer.write(toBytes(output), 1);
  return renderer.current().map((line) => line.runs?.map(({ text, style }) => [text, style]));
}

const STYLES: readonly (readonly [sequence: string, style: TextStyle])[] = [
  ["", {}],
  ["0", {}],
  ["1", { bold: true }],
  ["2", { dim: true }],
  ["3", { italic: true }],
  ["4", { underline: true }],
  ["4:3", { underline: true }],
  ["4;4:0", {}],
  ["21", { underline: true }],
  ["7", { inverse: true }],
  ["9", { strike: true }],
  ["1;2;3;4;7;9;22;23;24;27;29", {}],
  ["31;44", { fg: 1, bg: 4 }],
  ["97;100", { fg: 15, bg: 8 }],
  ["31;44;39;49", {}],
  ["31;0;1", { bold: true }],
  ["31;;1", { bold: true }],
  ["38;5;208", { fg: 208 }],
  ["38:5:208", { fg: 208 }],
  ["48;2;1;2;255;1", { bg: "#0102ff", bold: true }],
  ["38:2:1:2:3;1", { fg: "#010203", bold: true }],
  ["38:2::1:2:3;1", { fg: "#010203", bold: true }],
  ["38:2:0:1:2:3:0:0", { fg: "#010203" }],
  ["58;5;1;3", { italic: true }],
  ["58:2::1:2:3;3", { italic: true }],
  ["38;5;9999", { fg: 255 }],
  ["5;73", {}],
  ["38;1;4", { underline: true }],
];

test.each(STYLES)("CSI %s m", (sequence, style) => {
  expect(runsOf(`\x1b[${sequence}mx`)).toEqual([[["x", style]]]);
});

test("text of one style is one run, however it was written", () => {
  expect(runsOf("\x1b[1ma\x1b[1mb\x1b[mc\x1b[0md")).toEqual([
    [
      ["ab", { bold: true }],
      ["cd", {}],
    ],
  ]);
});

test("styles move with their text and go with it", () => {
  expect(runsOf("\x1b[1mbold\x1b[m-\x1b[4D\x1b[2P\x1b[2@x")).toEqual([
    [
      ["b", { bold: true }],
      ["x ", {}],
      ["d", { bold: true }],
      ["-", {}],
    ],
  ]);
  expect(runsOf("\x1b[1mbold\x1b[2D\x1b[K\x1b[m!")).toEqual([
    [
      ["bo", { bold: true }],
      ["!", {}],
    ],
  ]);
});

test("lines that ran over keep their styles", () => {
  expect(runsOf(`\x1b[1m${"x".repeat(39)}世\x1b[mend`)).toEqual([
    [
      [`${"x".repeat(39)}世`, { bold: true }],
      ["end", {}],
    ],
  ]);
});

test("a saved cursor has its style", () => {
  expect(runsOf("\x1b[1m\x1b7\x1b[ma\x1b8b\x1b[!pc")).toEqual([
    [
      ["b", { bold: true }],
      ["c", {}],
    ],
  ]);
});
