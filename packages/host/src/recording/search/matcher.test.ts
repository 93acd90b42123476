import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createQueryMatcher, requiredLiterals } from "./matcher.ts";

const found = (mode: "words" | "substring" | "regex", text: string, line: string): string[] =>
  createQueryMatcher({ text, mode })
    .match(line)
    .map(({ start, end }) => line.slice(start, end));

describe("words", () => {
  test.each([
    ["needle", "a needle here", ["needle"]],
    ["NEEDLE", "a needle here", ["needle"]],
    ["needle", "needles", []],
    ["need*", "needles", ["need"]],
    ["needle-7351", "see needle-7351.", ["needle-7351"]],
    ["needle-7351", "see needle-73510", []],
    ["src/a/b.ts:42", "at src/a/b.ts:42:7", ["src/a/b.ts:42"]],
    ["two one", "one, two", ["one", "two"]],
    ["one three", "one two", []],
    ["grün", "GRÜN ist es", ["GRÜN"]],
    ["文字", "これは文字です", ["文字"]],
    ["$HOME", "echo $HOME", ["$HOME"]],
    ["*", "a * b", ["*"]],
    ["a.c", "abc", []],
  ])("%s in %s", (text, line, expected) => {
    expect(found("words", text, line)).toEqual(expected);
  });
});

test("a substring is found as it is, anywhere", () => {
  expect(found("substring", "eedle-73", "needle-7351 NEEDLE-7351 needle-73")).toEqual([
    "eedle-73",
    "eedle-73",
  ]);
  expect(found("substring", "a.c", "abc a.c")).toEqual(["a.c"]);
});

test("a regular expression is found, empty matches are not", () => {
  expect(found("regex", "needle-\\d+", "needle-7351 needle-x")).toEqual(["needle-7351"]);
  expect(found("regex", "^x*", "yyy")).toEqual([]);
  expect(found("regex", "\\bé\\p{L}+", "éclair")).toEqual([]);
});

test("a regular expression that is none is refused with the reason", () => {
  expect(() => createQueryMatcher({ text: "(", mode: "regex" })).toThrow(
    expect.objectContaining({ code: "invalid_argument", field: "text" }),
  );
});

test.each([
  ["needle-\\d+", ["needle-"]],
  ["src/.*\\.ts:42", ["src/", ".ts:42"]],
  ["a|b", []],
  ["(a|b)cde", ["cde"]],
  ["abc?d", ["ab", "d"]],
  ["abc+d", ["abc", "d"]],
  ["ab{0,2}c", ["a", "c"]],
  ["ab{2}c", ["ab", "c"]],
  ["[abc]def", ["def"]],
  ["[\\]]def(?:x[)]y)+ghi", ["def", "ghi"]],
  ["\\u{1F600}x\\x41y", ["x", "y"]],
  ["^start$", ["start"]],
  ["a\\.b", ["a.b"]],
  ["x(?=y)z", ["x", "z"]],
])("everything that %s matches contains %j", (source, literals) => {
  expect(requiredLiterals(source)).toEqual(literals);
});

function isMatch(source: string, line: string): boolean {
  try {
    return new RegExp(source, "u").test(line);
  } catch {
    return false; // No regular expression matches nothing.
  }
}

test("the literals of a regular expression are in everything it matches", () => {
  fc.assert(
    fc.property(
      fc.stringMatching(/^[ab.|()*+?\\[\]{},1]{1,12}$/),
      fc.stringMatching(/^[ab.|]{0,12}$/),
      (source, line) => {
        const missing = requiredLiterals(source).filter((literal) => !line.includes(literal));
        expect(isMatch(source, line) ? missing : []).toEqual([]);
      },
    ),
    { numRuns: 20_000 },
  );
});

test("what a word matches may match as a block", () => {
  fc.assert(
    fc.property(
      fc.string({ minLength: 1, unit: "grapheme" }),
      fc.string({ unit: "grapheme" }),
      (word, around) => {
        fc.pre(!/\s/.test(word));
        const line = `${around} ${word} ${around}`;
        const matcher = createQueryMatcher({ text: word, mode: "words" });
        const isHit = matcher.match(line).length > 0;
        expect(isHit && !matcher.mayMatch(`x\n${line}\ny`)).toBe(false);
      },
    ),
  );
});
