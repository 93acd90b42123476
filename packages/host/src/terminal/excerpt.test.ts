import fc from "fast-check";
import { expect, test } from "vitest";
import { Excerpt } from "./excerpt.ts";

const position = { after: 0 };

function excerptOf(pieces: readonly string[], maxBytes: number) {
  const excerpt = new Excerpt(maxBytes);
  for (const piece of pieces) excerpt.push(Buffer.from(piece));
  return excerpt.read(position);
}

test("a short output is whole", () => {
  expect(excerptOf(["one\n", "two\n"], 256)).toEqual({
    text: "one\ntwo\n",
    truncated: false,
    omittedBytes: 0,
    totalBytes: 8,
    totalLines: 2,
    position,
  });
});

test("of a long output the beginning and the end are shown, by whole lines", () => {
  const lines = Array.from({ length: 1000 }, (_, index) => `line ${index}\n`);
  const { text, truncated, omittedBytes, totalBytes, totalLines } = excerptOf(lines, 400);
  const shown = text.split("\n");
  expect(truncated).toBe(true);
  expect(totalLines).toBe(1000);
  expect(totalBytes).toBe(lines.join("").length);
  expect(shown[0]).toBe("line 0");
  expect(shown.at(-2)).toBe("line 999");
  expect(shown.filter((line) => !/^line \d+$/.test(line))).toEqual([
    `[${omittedBytes} of ${totalBytes} bytes left out here]`,
    "",
  ]);
});

test("what is shown and what is left out is everything, however it came", () => {
  const pieces = fc.array(fc.string({ unit: "grapheme", maxLength: 200 }), { maxLength: 30 });
  fc.assert(
    fc.property(pieces, fc.integer({ min: 256, max: 1000 }), (given, maxBytes) => {
      const all = Buffer.from(given.join(""));
      const result = excerptOf(given, maxBytes);
      expect(result.totalBytes).toBe(all.byteLength);
      const notice = `[${result.omittedBytes} of ${result.totalBytes} bytes left out here]\n`;
      const [head = "", tail = ""] = result.truncated ? result.text.split(notice) : [result.text];
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail) + result.omittedBytes).toBe(
        all.byteLength,
      );
      expect(Buffer.byteLength(head) + Buffer.byteLength(tail)).toBeLessThanOrEqual(
        result.truncated ? maxBytes : all.byteLength,
      );
      expect(all.toString().startsWith(head)).toBe(true);
      expect(all.toString().endsWith(tail)).toBe(true);
    }),
  );
});
