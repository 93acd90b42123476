import { expect, test } from "vitest";
import { applyLineEditing, isLineComplete, toSingleLine } from "./terminal-index.ts";

test.each([
  ["ls -l\r", "ls -l"],
  ["lx\u007fs\r", "ls"],
  ["ab\b\bcd", "cd"],
  ["\u007f\u007fa", "a"],
  ["a\u001b[Db\u001b[1;5C\u001bOAc", "abc"],
  ["a😀\u007fb", "ab"],
  ["one\rtwo\r", "one two"],
])("%j was meant as %j", (typed, meant) => {
  expect(applyLineEditing(typed)).toBe(meant);
});

test("what is typed is looked at once, however much is erased", () => {
  const half = 2048;
  expect(applyLineEditing("a".repeat(half) + "\u007f".repeat(half))).toBe("");
  expect(applyLineEditing("ab".repeat(500_000)).length).toBe(4096);
});

test("a line ends with its end, or when it is too long", () => {
  expect([isLineComplete("ab"), isLineComplete("ab\r"), isLineComplete("a".repeat(5000))]).toEqual([
    false,
    true,
    true,
  ]);
  expect(toSingleLine(" a\u0007\r\nb\t")).toBe("a b");
});
