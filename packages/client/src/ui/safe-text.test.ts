import fc from "fast-check";
import { expect, test } from "vitest";
import { safeJson, safeText } from "./safe-text.ts";

/** Every character that must never reach a terminal as it is, said by number so that this file stays readable. */
const DANGEROUS = [
  ...Array.from({ length: 0x20 }, (_, code) => code),
  ...Array.from({ length: 0x21 }, (_, index) => 0x7f + index),
  ...Array.from({ length: 0x05 }, (_, index) => 0x200b + index),
  ...Array.from({ length: 0x07 }, (_, index) => 0x2028 + index),
  ...Array.from({ length: 0x04 }, (_, index) => 0x2066 + index),
  0x61c,
  0x2060,
  0xfeff,
  0xad,
  0xe0041,
  0xd800,
].map((code) => String.fromCodePoint(code));

test("controls, directions and characters without width are made visible", () => {
  for (const character of DANGEROUS) {
    const shown = safeText(`a${character}b`);
    expect(shown).not.toContain(character);
    expect(shown).toMatch(/^a(?:\\u[0-9a-f]{4}){1,2}b$/);
  }
});

test("an escape sequence cannot be smuggled into what is printed", () => {
  expect(safeText("\u001B]0;evil\u0007\u009B31m")).toBe("\\u001b]0;evil\\u0007\\u009b31m");
});

test("ordinary writing stays as it is", () => {
  const text = "naïve 日本語 🐚 (ok) ~/src → 50%";
  expect(safeText(text)).toBe(text);
});

test("JSON that is safe to show still says the same", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const shown = safeJson({ text });
      expect(JSON.parse(shown)).toEqual({ text });
      expect(safeText(shown)).toBe(shown);
    }),
  );
});
