import { expect, test } from "vitest";
import {
  formatAge,
  formatAgo,
  formatBytes,
  formatClock,
  formatDuration,
  shortLabel,
  speakClock,
} from "./format.ts";

test("ages have one unit", () => {
  const ages = [-5, 999, 1000, 61_000, 7_200_000, 200_000_000];
  expect(ages.map(formatAge)).toEqual(["now", "now", "1s", "1m", "2h", "2d"]);
  expect([500, 5000].map(formatAgo)).toEqual(["just now", "5s ago"]);
});

test.each([
  [-1, "0ms"],
  [140.4, "140ms"],
  [1200, "1.2s"],
  [9999, "9.9s"],
  [12_900, "12s"],
  [80_000, "1m 20s"],
  [7_500_000, "2h 5m"],
  [90_000_000, "1d 1h"],
])("%d ms take %s", (ms, text) => {
  expect(formatDuration(ms)).toBe(text);
});

test("places are shown as a clock and said in words", () => {
  expect([-5, 7999, 65_999, 7_384_000].map(formatClock)).toEqual([
    "0:00",
    "0:07",
    "1:05",
    "2:03:04",
  ]);
  expect(speakClock(65_000)).toBe("1 minute 5 seconds");
  expect(speakClock(3_601_000)).toBe("1 hour 1 second");
  expect(speakClock(400)).toBe("0 seconds");
});

test.each([
  [0, "0 B"],
  [1023, "1023 B"],
  [1434, "1.4 KB"],
  [256_000, "250 KB"],
  [3_435_973_837, "3.2 GB"],
])("%d bytes are %s", (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text);
});

test("a label is one line of bounded length, and writes in the direction that it seems to", () => {
  expect(shortLabel(" make\n  all\t")).toBe("make all");
  expect(shortLabel("evil\u202Etxt")).toBe(String.raw`evil\u202etxt`);
  expect(shortLabel("x".repeat(60_000))).toBe(`${"x".repeat(200)}…`);
});
