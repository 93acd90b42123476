import { expect, test } from "vitest";
import { asOneLine, isComplete, meantText } from "./typed-line.ts";

test.each([
  ["ls -l\r", "ls -l"],
  ["lx\u007fs\r", "ls"],
  ["ab\b\bcd", "cd"],
  ["\u007f\u007fa", "a"],
  ["a\u001b[Db\u001b[1;5C\u001bOAc", "abc"],
  ["a😀\u007fb", "ab"],
  ["one\rtwo\r", "one two"],
])("%j was meant as %j", (typed, meant) => {
  expect(meantText(typed)).toBe(meant);
});

test("what is typed is looked at once, however much is erased", () => {
  const half = 2048;
  expect(meantText("a".repeat(half) + "\u007f".repeat(half))).toBe("");
  expect(meantText("ab".repeat(500_000)).length).toBe(4096);
});

test("a line ends with its end, or when it is too long", () => {
  expect([isComplete("ab"), isComplete("ab\r"), isComplete("a".repeat(5000))]).toEqual([
    false,
    true,
    true,
  ]);
  expect(asOneLine(" a\u0007\r\nb\t")).toBe("a b");
});
