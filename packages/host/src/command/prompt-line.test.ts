import { expect, test } from "vitest";
import { EMPTY_LINE, isDrawn, typeAtPrompt } from "./prompt-line.ts";

const isOpenAfter = (...inputs: readonly string[]): boolean =>
  inputs.reduce((line, input) => typeAtPrompt(line, Buffer.from(input)), EMPTY_LINE).isOpen;

test.each([
  ["text", ["touch X; "]],
  ["text behind an Enter", ["ls\rtouch"]],
  ["text before a key that inserts nothing", ["touch", "\x1b[D"]],
  ["a character of several bytes", ["é"]],
  ["arrow up", ["\x1b[A"]],
  ["arrow up of the application mode", ["\x1bOA"]],
  ["Ctrl-P", ["\x10"]],
  ["Ctrl-R", ["\x12"]],
  ["Ctrl-Y", ["\x19"]],
  ["the last argument, with Alt", ["\x1b."]],
  ["a paste", ["\x1b[200~ls\n\x1b[201~"]],
  ["a paste in pieces", ["\x1b[200~ls\n", "pwd\r", "\x1b[201~"]],
  ["a long text", ["x".repeat(1_000_000)]],
])("%s leaves the line open", (_what, inputs) => {
  expect(isOpenAfter(...inputs)).toBe(true);
});

test.each([
  ["nothing", []],
  ["Enter", ["ls\r"]],
  ["a line feed", ["ls\n"]],
  ["Ctrl-C", ["touch", "\x03"]],
  ["Ctrl-U", ["touch", "\x15"]],
  ["Enter behind a paste", ["\x1b[200~ls\npwd\x1b[201~\r"]],
  ["Enter behind a paste in pieces", ["\x1b[200~ls\n", "pwd", "\x1b[201~", "\r"]],
  ["a focus report", ["\x1b[I", "\x1b[O"]],
  ["a report of the mouse", ["\x1b[<0;10;5M"]],
  ["what a terminal says of itself", ["\x1b[?1;2c\x1b[3;1R\x1b]11;rgb:0000/0000/0000\x1b\\"]],
  ["an arrow that recalls nothing", ["\x1b[C"]],
])("%s leaves nothing at the prompt", (_what, inputs) => {
  expect(isOpenAfter(...inputs)).toBe(false);
});

test.each([
  ["touch X", "touch X"],
  ["touch  X", "ttotoutouctouch touch X"],
  ["ls", "lsmod"],
  ["é", "é"],
])("%j typed ahead stands in %j", (typed, drawn) => {
  expect(isDrawn(typed, drawn)).toBe(true);
});

test.each([
  ["q", ""],
  ["q", "main ✓"],
  ["  ", "text"],
  ["", "text"],
])("%j typed ahead does not stand in %j", (typed, drawn) => {
  expect(isDrawn(typed, drawn)).toBe(false);
});
