import fc from "fast-check";
import { expect, test } from "vitest";
import { parseMomentParam, writeMoment } from "./moment.ts";

test.each([
  ["0", 0],
  ["12.5", 12_500],
  ["90s", 90_000],
  ["1:05", 65_000],
  ["2:03:04", 7_384_000],
  ["1m5s", 65_000],
  ["1h", 3_600_000],
  ["0.0015", 2],
])("%s is a place", (text, ms) => {
  expect(parseMomentParam(text)).toBe(ms);
});

test.each(["", "x", "-1", "1e3", "NaN", "1:2:3:4", "999999999999", " 1"])(
  "%j is no place",
  (text) => {
    expect(parseMomentParam(text)).toBe(undefined);
  },
);

test("a place survives the way through an address", () => {
  fc.assert(
    fc.property(fc.nat(1e11), (ms) => {
      expect(parseMomentParam(writeMoment(ms))).toBe(ms);
    }),
  );
});
