import { randomBytes } from "node:crypto";
import { zstdDecompressSync } from "node:zlib";
import { expect, test } from "vitest";
import { encodeStoredFrame, MAX_STORED_BYTES } from "./line-block.ts";

test.each([0, 1, 255, 256, 65_791, 65_792, MAX_STORED_BYTES])(
  "a stored frame of %i bytes is read like any other",
  (length) => {
    const content = randomBytes(length);
    expect(zstdDecompressSync(encodeStoredFrame(content)).equals(content)).toBe(true);
  },
);

test("what does not fit into one block is refused", () => {
  expect(() => encodeStoredFrame(Buffer.alloc(MAX_STORED_BYTES + 1))).toThrow("too long");
});
