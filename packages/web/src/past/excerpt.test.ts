import fc from "fast-check";
import { expect, test } from "vitest";
import { highlightMatches } from "./excerpt.ts";

const shown = (line: string, ranges: { start: number; end: number }[]): string =>
  highlightMatches(line, ranges)
    .map(({ text, isMatch }) => (isMatch ? `[${text}]` : text))
    .join("");

test("matches stand apart from the rest of the line", () => {
  const ranges = [
    { start: 6, end: 11 },
    { start: 0, end: 5 },
  ];
  expect(shown("error: error!", [{ start: 0, end: 5 }])).toBe("[error]: error!");
  expect(shown("first second", ranges)).toBe("[first] [secon]d");
});

test("ranges that overlap, or lie outside, do not repeat or lose letters", () => {
  const ranges = [
    { start: 1, end: 3 },
    { start: 2, end: 4 },
    { start: 9, end: 20 },
    { start: 5, end: 5 },
  ];
  expect(shown("abcdef", ranges)).toBe("a[bcd]ef");
});

test("of a long line the part around the first match is shown", () => {
  const line = `${"x".repeat(500)}needle${"y".repeat(500)}`;
  const text = shown(line, [{ start: 500, end: 506 }]);
  expect(text).toContain("[needle]");
  expect(text.startsWith("…x")).toBe(true);
  expect(text.endsWith("y…")).toBe(true);
  expect(text.length).toBeLessThan(260);
});

test("pieces together are the line, and cuts leave letters whole", () => {
  const range = fc.record({ start: fc.nat(500), end: fc.nat(500) });
  const texts = fc.string({ unit: "binary", maxLength: 500 });
  fc.assert(
    fc.property(texts, fc.array(range, { maxLength: 5 }), (line, ranges) => {
      const text = highlightMatches(line, ranges)
        .map((piece) => piece.text)
        .join("");
      expect(line.includes(text.replace(/^…/, "").replace(/…$/, ""))).toBe(true);
      expect(text.isWellFormed()).toBe(true);
    }),
  );
});
