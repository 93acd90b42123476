import fc from "fast-check";
import { expect, test } from "vitest";
import { codePointLength, incompleteBytes } from "./utf8.ts";

const isValid = (bytes: Uint8Array): boolean => {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    // Telling is all that is asked for here.
    return false;
  }
};

test.each(["a", "é", "€", "漢", "😀", "\u{10ffff}"])(
  "%s is complete only with all bytes",
  (text) => {
    const bytes = Buffer.from(text);
    expect(codePointLength(bytes, 0, bytes.length)).toBe(bytes.length);
    for (let end = 1; end < bytes.length; end++) {
      expect(codePointLength(bytes, 0, end)).toBe(-1);
      expect(incompleteBytes(bytes, end)).toBe(end);
    }
    expect(incompleteBytes(bytes, bytes.length)).toBe(0);
  },
);

test.each<readonly [readonly number[], string]>([
  [[0x80], "a continuation alone"],
  [[0xc0, 0x80], "an overlong form"],
  [[0xe0, 0x9f, 0x80], "an overlong form of three bytes"],
  [[0xed, 0xa0, 0x80], "a surrogate"],
  [[0xf4, 0x90, 0x80, 0x80], "what lies beyond Unicode"],
  [[0xff], "a byte that UTF-8 never has"],
])("%j is never waited for: %s", (bytes) => {
  expect(codePointLength(Uint8Array.from(bytes), 0, bytes.length)).toBe(0);
  expect(incompleteBytes(Uint8Array.from(bytes), bytes.length)).toBe(0);
});

test("what two bytes are is told as the platform tells it", () => {
  const pairs = Array.from({ length: 0x8000 }, (_, index) => 0x8000 + index);
  const wrong = pairs.filter((pair) => {
    const bytes = Uint8Array.of(pair >> 8, pair & 0xff);
    return (codePointLength(bytes, 0, 2) === 2) !== isValid(bytes);
  });
  expect(wrong).toEqual([]);
});

test("cutting valid text behind its incomplete end leaves valid text", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.nat(), (text, place) => {
      const bytes = Buffer.from(text);
      const end = place % (bytes.length + 1);
      expect(isValid(bytes.subarray(0, end - incompleteBytes(bytes, end)))).toBe(true);
    }),
  );
});
