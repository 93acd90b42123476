import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_SCROLLBACK_LENGTH, Scrollback } from "./scrollback.ts";

function scrollbackOf(...pieces: readonly string[]): string {
  const scrollback = new Scrollback();
  for (const piece of pieces) scrollback.push(piece);
  return scrollback.text;
}

test("short output is kept whole", () => {
  expect(scrollbackOf("one\r\n", "two")).toBe("one\r\ntwo");
});

test("it never grows beyond its limit, ends with the newest output and begins with a whole line", () => {
  const pieces = fc.array(fc.stringMatching(/^[a-z\u{1f600} \n]{0,3000}$/u), { maxLength: 60 });
  fc.assert(
    fc.property(pieces, (given) => {
      const text = scrollbackOf(...given);
      const all = given.join("");
      expect(text.length).toBeLessThanOrEqual(MAX_SCROLLBACK_LENGTH);
      expect(all.endsWith(text)).toBe(true);
      expect(text === all || all[all.length - text.length - 1] === "\n").toBe(true);
    }),
    { numRuns: 30 },
  );
});

test("it does not matter how often it is looked at", () => {
  const looked = new Scrollback();
  const lines = Array.from({ length: 30_000 }, (_, index) => `line ${index}\r\n`);
  const lengths = lines.map((line, index) => {
    looked.push(line);
    return index % 100 === 0 ? looked.text.length : 0;
  });
  expect(Math.max(...lengths)).toBeLessThanOrEqual(MAX_SCROLLBACK_LENGTH);
  expect(looked.text).toBe(scrollbackOf(...lines));
  expect(looked.text.length).toBeGreaterThan(MAX_SCROLLBACK_LENGTH - 100);
});

test.each([
  ["letters", "🙂"],
  ["colours", "\u001b[38;2;1;2;3mx"],
  ["titles", "\u001b]0;a title\u0007x"],
])("a stream of %s without a line end is cut between them", (_, unit) => {
  const text = scrollbackOf("a", ...Array.from({ length: 40_000 }, () => unit));
  // Of the first one only what follows its sequence may be left.
  expect(["", "x"]).toContain(text.replaceAll(unit, ""));
  expect(text.length).toBeGreaterThan(MAX_SCROLLBACK_LENGTH - 100);
});

test("a line end inside a sequence is no place to begin", () => {
  const image = `\u001bPq${"#0~~\n".repeat(100)}\u001b\\`;
  const text = scrollbackOf(...Array.from({ length: 300 }, () => image), "end\n");
  expect(text.replaceAll(image, "")).toBe("end\n");
});

test("what a full-screen program wrote begins on its screen, and what follows it does not", () => {
  const drawing = "\u001b[Hframe\n".repeat(10_000);
  expect(scrollbackOf("\u001b[?1049h", drawing).startsWith("\u001b[?1049h\u001b[H")).toBe(true);
  const after = "line\n".repeat(20_000);
  expect(scrollbackOf("\u001b[?1049h", drawing, "\u001b[?1049l", after)).toMatch(/^line\n/);
});
