import fc from "fast-check";
import { expect, test } from "vitest";
import { splitText } from "./split-text.ts";

const PIECES = [
  "a",
  "😀",
  "\r\n",
  "\u001b[38;2;1;2;3m",
  "\u001b[m",
  "\u001b]8;;http://x/\u001b\\",
  "\u001b]0;t\u0007",
  "\u001b7",
  "\u001b(B",
];

const MAX_LENGTH = 40;

test("no part ends within a character or a control, and together they are the text", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      const places = new Set([0]);
      let length = 0;
      for (const piece of pieces) places.add((length += piece.length));
      const parts = splitText(text, MAX_LENGTH);
      expect(parts.join("")).toBe(text);
      let end = 0;
      for (const part of parts) {
        expect(part.length).toBeLessThanOrEqual(MAX_LENGTH);
        // A line end is two characters, which may come apart.
        end += part.length;
        expect(places.has(end) || text.charAt(end) === "\n").toBe(true);
      }
    }),
  );
});

test("a control that is longer than a part is cut all the same", () => {
  const text = `\u001b]0;${"t".repeat(100)}\u0007`;
  const parts = splitText(text, MAX_LENGTH);
  expect(parts.join("")).toBe(text);
  expect(parts).toHaveLength(3);
});

test("nothing is one empty part", () => {
  expect(splitText("", MAX_LENGTH)).toEqual([""]);
});
