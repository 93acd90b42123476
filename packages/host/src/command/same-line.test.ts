import { expect, test } from "vitest";
import { findSameLines, isSameLine } from "./command-line-resolver.ts";

/** Lines as typed, and as the history of bash 5.2 has them. */
const REPORTED: readonly (readonly [typed: string, reported: string])[] = [
  ["if true\nthen echo hi\nfi", "if true; then echo hi; fi"],
  ["echo 'a\nb'", "echo 'a\nb'"],
  ["cat <<EOF\nfoo ; bar\n  baz\n\nEOF", "cat <<EOF\nfoo ; bar\n  baz\n\nEOF\n"],
  ["echo a \\\nb", "echo a b"],
  ["ec\\\nho x", "echo x"],
  ["for i in 1 2; do\n# comment\necho $i\ndone", "for i in 1 2; do\necho $i; done"],
  ["echo a &&\necho b", "echo a && echo b"],
  ["f() {\necho hi\n}", "f() { echo hi; }"],
  ["case x in\nx) echo y;;\nesac", "case x in x) echo y;; esac"],
  ['echo "a \\\nb"', 'echo "a \\\nb"'],
  ["echo a; \\\necho b", "echo a; echo b"],
  ["(echo a\necho b)", "(echo a; echo b)"],
  ["  echo led", "  echo led"],
  ["echo a \\\n", "echo a "],
];

test.for(REPORTED)("bash reports %j as %j", ([typed, reported]) => {
  expect(isSameLine(typed, reported)).toBe(true);
  const lines = typed.split("\n");
  expect(findSameLines([...lines, "next"], reported)).toEqual({ first: 0, last: lines.length - 1 });
});

test.for([
  ["echo a", "echo b"],
  ["echo a", "echo ab"],
  ["echo ab", "echo a"],
  ["echo a\necho b", "echo a"],
  ["# only a comment", "ls"],
  ["", ""],
  ["ls", ""],
] as const)("%j is not reported as %j", ([typed, reported]) => {
  expect(isSameLine(typed, reported)).toBe(false);
});

test("empty lines before a command are not part of it", () => {
  expect(findSameLines(["", "  ", "ls", "pwd"], "ls")).toEqual({ first: 2, last: 2 });
});
