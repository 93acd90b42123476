import type { Size } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_CELL_LENGTH } from "./cells.ts";
import { MAX_LINE_LENGTH } from "./rendered-line.ts";
import type { RenderedLine } from "./rendered-line.ts";
import { toBytes } from "./testing/rendering.ts";
import { TextRenderer } from "./text-renderer.ts";

/** Something that a recording has at one place: output, or another size. */
type Happening = Uint8Array | Size;

const parameter = fc.constantFrom("", "0", "1", "2", "3", "4", "7", "20", "9999", "99999999999");
const finals = fc.constantFrom(...Array.from("ABCDEFGHIJKLMPSTXZ@`abdefghlmrsux"));
const modes = fc.constantFrom("4", "?6", "?7", "?47", "?1047", "?1048", "?1049", "?25");
const styles = fc.constantFrom("0", "1", "7", "31", "38;5;200", "48;2;1;2;3", "38:2::9:8:7", "4:3");

const sequence = fc.oneof(
  fc
    .tuple(fc.array(parameter, { maxLength: 3 }), finals)
    .map(([parameters, final]) => `\x1b[${parameters.join(";")}${final}`),
  fc.tuple(modes, fc.constantFrom("h", "l")).map(([mode, final]) => `\x1b[${mode}${final}`),
  styles.map((style) => `\x1b[${style}m`),
  fc.constantFrom("\x1bM", "\x1bD", "\x1bE", "\x1bH", "\x1b7", "\x1b8", "\x1bc", "\x1b[!p"),
  fc.constantFrom("\x1b(0", "\x1b(B", "\x1b)0", "\x0e", "\x0f", "\u009b3C", "\u0085", "\x18"),
  fc.constantFrom("\x1b]0;title\x07", "\x1b]8;;u\x1b\\", "\x1bPq\x1b\\", "\u009ex\u009c", "\x1b_"),
  fc.constantFrom("\x1b", "\x1b[", "\x1b[1;", "\x1b[?1$", "\x1b(", `\x1b[${"1:;".repeat(20)}`),
);

const text = fc.oneof(
  fc.constantFrom("\r\n", "\r", "\n", "\b", "\t", " ", "   ", "\r\n\r\n"),
  fc.constantFrom("$ ls -la", "error: not found", "é─✓", "世界", "👩‍💻", "e\u0301\u0302", "\u200b"),
  fc.integer({ min: 1, max: 300 }).map((length) => "0123456789".repeat(30).slice(0, length)),
  fc.string({ unit: "binary", maxLength: 8 }),
);

const wild = fc.oneof(
  { weight: 4, arbitrary: text.map(toBytes) },
  { weight: 4, arbitrary: sequence.map(toBytes) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }) },
);

const size = fc.record({
  cols: fc.integer({ min: 1, max: 24 }),
  rows: fc.integer({ min: 1, max: 6 }),
});

const happenings = (part: fc.Arbitrary<Uint8Array>): fc.Arbitrary<Happening[]> =>
  fc.array(
    fc.oneof(
      {
        weight: 12,
        arbitrary: fc
          .array(part, { minLength: 1, maxLength: 8 })
          .map((parts): Happening => new Uint8Array(Buffer.concat(parts))),
      },
      { weight: 1, arbitrary: size },
    ),
    { maxLength: 12 },
  );

/** Goes through a recording, with output cut into parts of these lengths and something done after each part. */
function renderAll(
  start: { size: Size; styled?: boolean },
  recording: readonly Happening[],
  lengths: readonly number[] = [],
  after = (renderer: TextRenderer, _lines: RenderedLine[]): TextRenderer => renderer,
): RenderedLine[] {
  let renderer = new TextRenderer(start);
  const lines: RenderedLine[] = [];
  let part = 0;
  for (const [mark, happening] of recording.entries()) {
    if (!(happening instanceof Uint8Array)) {
      renderer.resize(happening);
      continue;
    }
    for (let rest = happening; rest.byteLength > 0;) {
      const length = lengths[part++ % lengths.length] ?? rest.byteLength;
      renderer.write(rest.subarray(0, length), mark);
      rest = rest.subarray(length);
      renderer = after(renderer, lines);
    }
  }
  lines.push(...renderer.takeFinal(), ...renderer.current());
  renderer.end();
  return [...lines, ...renderer.takeFinal()];
}

/** As JSON, because what is written down has no properties that are undefined. */
const written = (lines: readonly RenderedLine[]): unknown => JSON.parse(JSON.stringify(lines));

const starts = fc.record({ size, styled: fc.boolean() });
const lengthsUpTo = (max: number): fc.Arbitrary<number[]> =>
  fc.array(fc.integer({ min: 1, max }), { minLength: 1, maxLength: 10 });

test.each([
  ["arbitrary output", wild],
  ["text", text.map(toBytes)],
])("%s is rendered the same however it is cut", (_, part) => {
  fc.assert(
    fc.property(starts, happenings(part), lengthsUpTo(9), (start, recording, cuts) => {
      expect(renderAll(start, recording, cuts)).toEqual(renderAll(start, recording));
    }),
    { numRuns: 600 },
  );
});

test.each([
  ["arbitrary output", wild],
  ["text", text.map(toBytes)],
])("%s is rendered the same when another renderer goes on at any place", (_, part) => {
  const goOn = (renderer: TextRenderer, lines: RenderedLine[]): TextRenderer => {
    const before = renderer.current();
    if (renderer.current().length % 2 === 0) lines.push(...renderer.takeFinal());
    const next = new TextRenderer({ state: JSON.parse(JSON.stringify(renderer.toState())) });
    expect(written(next.current())).toEqual(written(before));
    return next;
  };
  fc.assert(
    fc.property(
      fc.record({ size }),
      happenings(part),
      lengthsUpTo(25),
      (start, recording, cuts) => {
        expect(written(renderAll(start, recording, cuts, goOn))).toEqual(
          written(renderAll(start, recording)),
        );
      },
    ),
    { numRuns: 200 },
  );
});

test("arbitrary output never throws, and what is kept is bounded by the size", () => {
  const zalgo = fc.constant(toBytes(`a${"\u0301".repeat(50)}`.repeat(30)));
  const flood = fc.constant(toBytes("x".repeat(20_000)));
  const part = fc.oneof({ weight: 30, arbitrary: wild }, zalgo, flood);
  fc.assert(
    fc.property(starts, fc.array(part, { maxLength: 40 }), ({ size: { cols, rows } }, parts) => {
      const renderer = new TextRenderer({ size: { cols, rows } });
      for (const bytes of parts) renderer.write(bytes, 1);
      renderer.takeFinal();
      // In JSON a UTF-16 unit is two characters at most, and names and numbers are a few hundred.
      const maxRow = 2 * (MAX_LINE_LENGTH + MAX_CELL_LENGTH * cols) + 500;
      const maxTabStops = 5_000;
      const state = JSON.stringify(renderer.toState());
      expect(state.length).toBeLessThan(2 * rows * maxRow + maxTabStops + 2_000);
      expect(() => new TextRenderer({ state: JSON.parse(state) })).not.toThrow();
    }),
    { numRuns: 200 },
  );
});

test("what is shown is what becomes final at the end", () => {
  const output = fc.array(fc.oneof(text, sequence), { maxLength: 40 });
  fc.assert(
    fc.property(starts, output, (start, parts) => {
      const renderer = new TextRenderer(start);
      renderer.write(toBytes(parts.join("")), 1);
      renderer.takeFinal();
      const shown = renderer.current();
      renderer.end();
      expect(renderer.takeFinal()).toEqual(shown);
      expect(renderer.current()).toEqual([]);
    }),
    { numRuns: 300 },
  );
});

test("text without controls is its own lines", () => {
  const line = fc.oneof(
    fc.string({ maxLength: 60 }),
    fc.string({ unit: fc.constantFrom("a", "é", "─", " ", "世", "👍") }),
  );
  fc.assert(
    fc.property(size, fc.array(line, { maxLength: 30 }), (screen, lines) => {
      const renderer = new TextRenderer({ size: screen });
      renderer.write(toBytes(lines.join("\r\n")), 1);
      renderer.end();
      const expected = lines.map((text) => text.trimEnd()).filter((text) => text !== "");
      expect(renderer.takeFinal().map((rendered) => rendered.text)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("a line feed alone ends a line as CR LF does", () => {
  fc.assert(
    fc.property(fc.array(fc.stringMatching(/^[a-z]{0,9}$/), { maxLength: 8 }), (words) => {
      const renderer = new TextRenderer({ size: { cols: 80, rows: 4 } });
      renderer.write(toBytes(words.join("\n")), 1);
      renderer.end();
      expect(renderer.takeFinal().map((line) => line.text)).toEqual(
        words.filter((word) => word !== ""),
      );
    }),
  );
});
