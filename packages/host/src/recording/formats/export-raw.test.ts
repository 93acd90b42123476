import fc from "fast-check";
import { expect, test } from "vitest";
import { exportRaw } from "./exporters.ts";
import { placed, recordings } from "./testing/random-recording.ts";

test("the output is handed out byte by byte, without anything else", () => {
  const property = fc.property(recordings, (entries) => {
    const expected = entries.flatMap((entry) => (entry.type === "output" && entry.data) || []);
    expect(Buffer.concat([...exportRaw(entries)])).toEqual(Buffer.concat(expected));
  });
  fc.assert(property);
});

const outputs = (...lengths: readonly number[]) =>
  placed(
    lengths.map((length, index) => ({
      elapsedMs: 0,
      fact: { type: "output", offset: 0, data: new Uint8Array(length).fill(index) },
    })),
  );

test("small entries are gathered, in pieces that stay as they are", () => {
  const pieces = [...exportRaw(outputs(...Array.from({ length: 40 }, () => 1000)))];
  expect(pieces.map((piece) => piece.length)).toEqual([16_000, 16_000, 8000]);
  expect(pieces.map((piece) => piece[0])).toEqual([0, 16, 32]);
});

test("a large entry is not copied", () => {
  const entries = outputs(5, 64 * 1024, 7);
  const [, large] = [...exportRaw(entries)];
  expect(entries[1]).toMatchObject({ type: "output" });
  expect(entries[1]?.type === "output" && entries[1].data).toBe(large);
});
