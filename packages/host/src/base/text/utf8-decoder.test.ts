import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_INCOMPLETE_BYTES } from "../utf8.ts";
import { Utf8Decoder } from "./utf8-decoder.ts";

test("any bytes are decoded as a TextDecoder does, wherever they are cut", () => {
  const tricky = fc.constantFrom(0x41, 0x80, 0xa0, 0xbf, 0xc2, 0xe0, 0xed, 0xef, 0xf0, 0xf4, 0xf5);
  const byte = fc.oneof(tricky, fc.integer({ min: 0, max: 255 }));
  const chunks = fc.array(fc.array(byte, { maxLength: 5 }), { maxLength: 8 });
  fc.assert(
    fc.property(chunks, (parts) => {
      let decoder = new Utf8Decoder();
      let text = "";
      for (const part of parts) {
        text += decoder.decode(Uint8Array.from(part));
        expect(decoder.begun.byteLength).toBeLessThanOrEqual(MAX_INCOMPLETE_BYTES);
        decoder = new Utf8Decoder(decoder.begun);
      }
      const expected = new TextDecoder("utf-8", { ignoreBOM: true });
      expect(text + decoder.end()).toBe(expected.decode(Uint8Array.from(parts.flat())));
    }),
    { numRuns: 1_000 },
  );
});

test("a character is held until it is complete, and given as soon as it is", () => {
  const decoder = new Utf8Decoder();
  expect(decoder.decode(Uint8Array.of(0x61, 0xe2, 0x94))).toBe("a");
  expect([...decoder.begun]).toEqual([0xe2, 0x94]);
  expect(decoder.decode(Uint8Array.of(0x80))).toBe("─");
  expect(decoder.begun.byteLength).toBe(0);
});

test("what is held does not change with the caller's buffer", () => {
  const decoder = new Utf8Decoder();
  const bytes = Uint8Array.of(0xe2, 0x94);
  decoder.decode(bytes);
  bytes.fill(0x41);
  expect(decoder.decode(Uint8Array.of(0x80))).toBe("─");
});
