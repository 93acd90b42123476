import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_CARRY_LENGTH, MAX_LINE_LENGTH } from "./rendered-line.ts";
import type { RenderedLine } from "./rendered-line.ts";
import { toBytes } from "./testing/rendering.ts";
import { TextRenderer } from "./text-renderer.ts";

function renderLine(text: string, styled = false): RenderedLine[] {
  const renderer = new TextRenderer({ size: { cols: 80, rows: 24 }, styled });
  renderer.write(toBytes(text), 1);
  renderer.end();
  return renderer.takeFinal();
}

const joined = (lines: readonly RenderedLine[]): string =>
  lines.map(({ text, carry }) => text.slice(carry)).join("");

/** Text in which every part is different from every other. */
const countTo = (length: number): string =>
  Array.from({ length: length / 5 }, (_, index) => String(index).padStart(5, ".")).join("");

test("a line of the longest length is one piece", () => {
  const text = countTo(MAX_LINE_LENGTH + 5).slice(0, MAX_LINE_LENGTH);
  expect(renderLine(text)).toEqual([{ text, first: 1, last: 1, carry: 0 }]);
});

test("a longer line is cut, and each piece repeats the end of the one before", () => {
  const text = countTo(20_000);
  const lines = renderLine(text);
  expect(lines.map((line) => line.carry)).toEqual([0, MAX_CARRY_LENGTH, MAX_CARRY_LENGTH]);
  expect(Math.max(...lines.map((line) => line.text.length))).toBe(MAX_LINE_LENGTH);
  expect(joined(lines)).toBe(text);
});

test("a text as long as the carry is whole in one piece, wherever it is", () => {
  const text = countTo(20_000);
  const lines = renderLine(text);
  const isTornAt = (from: number): boolean =>
    !lines.some((line) => line.text.includes(text.slice(from, from + MAX_CARRY_LENGTH)));
  const places = Array.from({ length: text.length - MAX_CARRY_LENGTH + 1 }, (_, from) => from);
  expect(places.filter(isTornAt)).toEqual([]);
});

test("no character is cut in two", () => {
  const pieces = fc.array(fc.constantFrom("👍", "a", "é", "世", "ab👍"), {
    minLength: 1,
    maxLength: 9,
  });
  fc.assert(
    fc.property(pieces, fc.nat(2), fc.boolean(), (parts, offset, styled) => {
      const text = "x".repeat(offset) + parts.join("").repeat(20_000 / parts.length);
      const lines = renderLine(text, styled);
      expect(lines.every((line) => line.text.isWellFormed())).toBe(true);
      expect(joined(lines)).toBe(text);
      for (const line of lines.slice(1))
        expect(line.carry).toBeGreaterThanOrEqual(MAX_CARRY_LENGTH);
      for (const { text: whole, runs } of styled ? lines : []) {
        expect(runs?.map((run) => run.text).join("")).toBe(whole);
      }
    }),
    { numRuns: 25 },
  );
});

test("pieces are final as soon as they are complete and gone from the screen", () => {
  const renderer = new TextRenderer({ size: { cols: 100, rows: 10 } });
  for (let mark = 0; mark < 1_000; mark++) renderer.write(toBytes("x".repeat(100)), mark);
  const pieces = renderer.takeFinal();
  expect(pieces.length).toBe(12);
  expect(pieces[0]).toMatchObject({ first: 0, last: 81, carry: 0 });
  expect(pieces[1]).toMatchObject({ first: 81, carry: MAX_CARRY_LENGTH });
  expect(JSON.stringify(renderer.toState()).length).toBeLessThan(MAX_LINE_LENGTH + 3_000);
});

test("blanks never become lines, however many there are", () => {
  expect(renderLine(" ".repeat(50_000))).toEqual([]);
  expect(renderLine(`${" ".repeat(50_000)}x`)).toHaveLength(1);
});

test("blanks at the end of a line that was cut add no piece", () => {
  const text = countTo(MAX_LINE_LENGTH + 5).slice(0, MAX_LINE_LENGTH);
  expect(renderLine(`${text}${" ".repeat(50_000)}`)).toEqual([
    { text, first: 1, last: 1, carry: 0 },
  ]);
});
