import fc from "fast-check";
import { expect, test } from "vitest";
import {
  base64LengthOf,
  byteCountOf,
  decodeBytes,
  encodeBytes,
  hasMoreBytesThan,
} from "./bytes.ts";

/** Plain byte noise is seldom UTF-8, so text and text cut anywhere are drawn as well. */
const anyBytes = fc.oneof(
  fc.uint8Array({ maxLength: 512 }),
  fc.string({ unit: "binary" }).map((text) => new TextEncoder().encode(text)),
  fc.tuple(fc.string({ unit: "grapheme" }), fc.nat(), fc.nat()).map(([text, from, to]) => {
    const bytes = new TextEncoder().encode(text);
    return bytes.slice(from % (bytes.length + 1), to % (bytes.length + 1));
  }),
);

test("any bytes come back exactly, also through JSON", () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      const encoded: unknown = JSON.parse(JSON.stringify(encodeBytes(bytes)));
      expect(encoded).toEqual(encodeBytes(bytes));
      expect([...decodeBytes(encodeBytes(bytes))]).toEqual([...bytes]);
    }),
    { numRuns: 2000 },
  );
});

test("the byte count is known without decoding", () => {
  fc.assert(
    fc.property(anyBytes, (bytes) => {
      expect(byteCountOf(encodeBytes(bytes))).toBe(bytes.length);
    }),
  );
});

test("valid UTF-8 stays text", () => {
  expect(encodeBytes(new TextEncoder().encode("é\r\n\u0000😀"))).toEqual({ data: "é\r\n\u0000😀" });
});

test("a byte order mark survives", () => {
  expect([...decodeBytes(encodeBytes(Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)))]).toEqual([
    0xef, 0xbb, 0xbf, 0x61,
  ]);
});

test("bytes that are not UTF-8 become base64", () => {
  expect(encodeBytes(Uint8Array.of(0xff, 0x00))).toEqual({ data: "/wA=", encoding: "base64" });
});

test("a chunk longer than one spread comes back exactly", () => {
  const bytes = Uint8Array.from({ length: 200_000 }, (_, index) => (index * 31) % 256);
  expect(decodeBytes(encodeBytes(bytes))).toEqual(bytes);
});

test.each(["a", "ab=c", "a b=", "YQ", "YQ==\n", "é===", "YR==", "YWJ=", "A===", "===="])(
  "%j is refused as base64",
  (data) => {
    expect(() => decodeBytes({ data, encoding: "base64" })).toThrow("`data` is not base64");
  },
);

test("half of a surrogate pair is refused as text", () => {
  expect(() => decodeBytes({ data: "\ud800" })).toThrow("`data` is not well-formed Unicode");
});

test("base64 is understood exactly when writing its bytes again gives the same text", () => {
  const isUnderstood = (data: string) => {
    try {
      return decodeBytes({ data, encoding: "base64" }).length >= 0;
    } catch {
      // A refusal is one of the two answers.
      return false;
    }
  };
  const almostBase64 = fc.string({
    unit: fc.constantFrom("A", "Q", "g", "B", "x", "0", "9", "+", "/", "="),
    maxLength: 8,
  });
  fc.assert(
    fc.property(fc.oneof(fc.base64String(), almostBase64), (data) => {
      expect(isUnderstood(data)).toBe(Buffer.from(data, "base64").toString("base64") === data);
    }),
    { numRuns: 2000 },
  );
});

test("data is compared with a limit in bytes, whatever its form", () => {
  fc.assert(
    fc.property(anyBytes, fc.nat(600), (bytes, maxBytes) => {
      const encoded = encodeBytes(bytes);
      expect(hasMoreBytesThan(encoded, maxBytes)).toBe(bytes.length > maxBytes);
      expect(encoded.data.length).toBeLessThanOrEqual(base64LengthOf(bytes.length));
    }),
  );
});
