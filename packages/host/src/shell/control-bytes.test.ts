import fc from "fast-check";
import { expect, test } from "vitest";
import { CONTROL_START, ControlBytes, findNext, toLatin1 } from "./control-bytes.ts";

/** Parts of what terminals are told, whole and broken, and letters of all lengths. */
const PARTS = [
  ..."\u001b[]()?;:0125679hlmABK@~P\\ xyz".split(""),
  "\u001b[",
  "\u001b[?",
  "\u001b[?2026h",
  "\u001b[?25",
  "\u001b[38;5;196m",
  "\u001b[1;2;3;4;5;6;7;8;9;10;11m",
  "\u001b[1;2;3;4;5;6;7;8;9;10;11;12m",
  "\u001b[99999m",
  "\u001b(B",
  "\r\n",
  "\t",
  "\u007f",
  "plain words",
].map((part) => Buffer.from(part));

const LETTERS = ["é", "ѝ", "═", "✓", "❝", "😀", "\u009d", "\u009b", "\u0085"].map((letter) =>
  Buffer.from(letter),
);

const BYTES = [0x00, 0x07, 0x18, 0x80, 0x9c, 0x9d, 0xc2, 0xe2, 0xed, 0xf0, 0xf4, 0xff].map((byte) =>
  Buffer.of(byte),
);

/** All starts, by one way of finding the next. */
function starts(next: (from: number) => number): number[] {
  const found: number[] = [];
  for (let at = next(0); at >= 0; at = next(at + 1)) found.push(at);
  return found;
}

test("finds what the pattern finds in a string", () => {
  const texts = fc.array(fc.constantFrom(...PARTS, ...LETTERS, ...BYTES), { maxLength: 30 });
  const room = fc.nat({ max: 8 });
  fc.assert(
    fc.property(texts, room, room, (parts, before, behind) => {
      const text = Buffer.concat(parts);
      // Anywhere in a buffer in which other bytes are, too.
      const whole = new Uint8Array(before + text.byteLength + behind).fill(0x1b);
      whole.set(text, before);
      const bytes = whole.subarray(before, before + text.byteLength);
      const controls = new ControlBytes(bytes);
      expect(starts((at) => controls.next(at))).toEqual(
        starts((at) => findNext(CONTROL_START, toLatin1(bytes), at)),
      );
    }),
    { numRuns: 5000 },
  );
});

test("gives parts of the bytes as characters", () => {
  const controls = new ControlBytes(new Uint8Array([0x41, 0xff, 0x42]).subarray(1));
  expect(controls.text(0, 2)).toBe("\u00ffB");
});
