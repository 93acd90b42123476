import fc from "fast-check";
import { expect, test } from "vitest";
import { HeadAndTail } from "./head-and-tail.ts";

const show = (maxBytes: number, ...pieces: readonly string[]) => {
  const shown = new HeadAndTail(maxBytes);
  for (const piece of pieces) shown.push(Buffer.from(piece));
  return shown.read();
};

test("what fits is whole", () => {
  expect(show(100, "one\n", "two\n")).toEqual({ text: "one\ntwo\n", bytes: 8, omittedBytes: 0 });
  expect(show(100)).toEqual({ text: "", bytes: 0, omittedBytes: 0 });
});

test("of what does not fit the first and the last lines are shown, and how much is missing", () => {
  const lines = Array.from({ length: 100 }, (_, at) => `line ${at}\n`);
  const { text, bytes, omittedBytes } = show(50, ...lines);
  expect(text).toBe(
    `line 0\nline 1\n[${omittedBytes} of ${bytes} bytes left out here]\nline 97\nline 98\nline 99\n`,
  );
});

test("what was skipped is counted, and the end comes behind it", () => {
  const shown = new HeadAndTail(20);
  for (const text of ["first\n", "x".repeat(50)]) shown.push(Buffer.from(text));
  shown.skip(1000);
  shown.push(Buffer.from("\nlast\n"));
  expect(shown.read().text).toBe("first\n[1051 of 1062 bytes left out here]\nlast\n");
});

test("a line that never ends is cut", () => {
  expect(show(10, "a".repeat(50), "b".repeat(50)).text).toBe(
    "aaaa\n[90 of 100 bytes left out here]\nbbbbbb",
  );
});

test("a line that never ends is cut between characters", () => {
  for (let shift = 0; shift < 4; shift++) {
    const { text } = show(31, "a".repeat(shift), "🐚".repeat(40));
    expect(text).toMatch(/^a*(?:🐚)+\n\[\d+ of \d+ bytes left out here\]\n(?:🐚)+$/u);
  }
});

test("whatever comes in whatever pieces, it is bounded and counted", () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ maxLength: 60 })),
      fc.integer({ min: 10, max: 200 }),
      (pieces, max) => {
        const all = Buffer.from(pieces.join(""));
        const { text, bytes, omittedBytes } = show(max, ...pieces);
        expect(bytes).toBe(all.byteLength);
        expect(text.length).toBeLessThan(max + 60);
        expect(omittedBytes > 0 || text === all.toString()).toBe(true);
      },
    ),
  );
});
