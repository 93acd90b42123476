import fc from "fast-check";
import { expect, test } from "vitest";
import { TextTail } from "./text-tail.ts";

const SIZE = { cols: 20, rows: 4 };

/** Longer than anything that is written here. */
const EVERYTHING = 100_000;

const line = fc.oneof(
  fc.stringMatching(/^[a-z \t]{0,50}$/),
  fc.constantFrom("\u001b[32mok\u001b[0m", "世界", "e\u0301", "x\u001b[K", "soft\u00adhyphen"),
);
const flood = fc
  .array(line, { minLength: 1, maxLength: 20 })
  .map((lines) => lines.join("\r\n") + (lines.length % 2 ? "\r\n" : ""));
const act = fc.constantFrom(
  "\rX",
  "\b\bY",
  "\u001b[2A",
  "\u001b[2J",
  "\u001b[H",
  "\u001b[8mhidden",
  "\u001b[m",
  "\u001b[41m",
  "\u001b[?1049h",
  "\u001b[?1049l",
  "\u001b[2;3r",
  "\u001b[?7l",
  "\u001b[4h",
  "\u001b(0",
);

test("whether many lines come in one piece or in many makes no difference", () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(flood, flood, act), { maxLength: 8 }), (pieces) => {
      const [whole, parts] = [new TextTail(EVERYTHING, SIZE), new TextTail(EVERYTHING, SIZE)];
      let [text, expected] = ["", ""];
      for (const piece of pieces) {
        text = whole.push(Buffer.from(piece));
        for (const character of piece) expected = parts.push(Buffer.from(character));
      }
      expect(text).toBe(expected);
    }),
    { numRuns: 1000 },
  );
});

test("what is kept is bounded by the overlap and the screen", () => {
  const tail = new TextTail(10, SIZE);
  const lines = Array.from({ length: 1000 }, (_, at) => `line ${at}`).join("\r\n");
  tail.push(Buffer.from(lines));
  expect(tail.push(Buffer.from("!"))).toBe("4\nline 995\nline 996\nline 997\nline 998\nline 999!");
});
