import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_LABEL_LENGTH, toOneLine } from "./format-text.ts";

test("control characters become pictures, which no terminal obeys", () => {
  expect(toOneLine("for f\n\tdo \u001b[31m\u007f\u009b", MAX_LABEL_LENGTH)).toBe(
    "for f␊␉do ␛[31m␡\ufffd",
  );
});

test("a long text ends in dots and never in half a character", () => {
  expect(toOneLine("abcdef", 5)).toBe("abcd…");
  expect(toOneLine("abc😀f", 5)).toBe("abc…");
  expect(toOneLine("ab😀fg", 5)).toBe("ab😀…");
});

test("half a character becomes the sign for what cannot be shown", () => {
  expect(toOneLine("a\ud800b", 5)).toBe("a\ufffdb");
});

test("what any text becomes fits, and becomes itself", () => {
  const anyText = fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 40 });
  const property = fc.property(anyText, fc.integer({ min: 1, max: 20 }), (units, maxLength) => {
    const line = toOneLine(String.fromCharCode(...units), maxLength);
    expect(line.length).toBeLessThanOrEqual(maxLength);
    expect(line.isWellFormed()).toBe(true);
    expect(toOneLine(line, maxLength)).toBe(line);
  });
  fc.assert(property);
});
