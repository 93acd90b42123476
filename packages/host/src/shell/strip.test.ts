import fc from "fast-check";
import { expect, test } from "vitest";
import { MAX_HELD_BYTES } from "./control-scanner.ts";
import { stripMarkers } from "./strip.ts";
import { bytesOf, hostileOutput, longOutput, textOf } from "./testing/output.ts";

const strip = (text: string): string => textOf(stripMarkers(bytesOf(text)));

const BODIES = [
  "633;A",
  "633;E;ls -l;nacre=1.2",
  "133;D;0;aid=7",
  "633",
  "133",
  "633;Z",
  "0633;A",
  "6\x0033;A",
  "13\xff3;A",
];
const OPENINGS = ["\x1b]", "\xc2\x9d", "\x9d", "\x1b\0]", "\x1b\xff]"];
const ENDS = ["\x07", "\x1b\\", "\xc2\x9c", "\x9c"];

const markers = BODIES.flatMap((body) =>
  OPENINGS.flatMap((opening) => ENDS.map((end) => `${opening}${body}${end}`)),
);

test.each(markers)("%j is left out", (marker) => {
  expect(strip(`a${marker}b`)).toBe("ab");
  expect(strip(`${marker}${marker}`)).toBe("");
});

test.each([
  "text",
  "\x1b]6330;A\x07",
  "\x1b]63;A\x07",
  "\x1b]x633;A\x07",
  "\x1b]2;633;A\x07",
  "\x1b]8;;http://a\x07",
  "\x1bP633;A\x1b\\",
  "\x1b[633;1m",
  "\x1b]633;A\x18",
  "\x1b]633;A\x1a",
  "\x1b]633;A",
  "\x1b]633;A\x1b",
  "\x1b]633;A\x1b[1m",
  "\x1b]633;A\xc2\x9b1m",
  "\x1b\xc3\xa9]633;A\x07",
  "\xe2\x9d\x9d633;A\x07",
  `\x1b]633;E;${"x".repeat(MAX_HELD_BYTES)}\x07`,
])("%j stays the very same", (text) => {
  const bytes = bytesOf(text);
  expect(stripMarkers(bytes)).toBe(bytes);
});

test("a marker may be as long as what is held back, and no longer", () => {
  const marker = (length: number) => `\x1b]633;E;${"x".repeat(length - 9)}\x07`;
  expect(strip(marker(MAX_HELD_BYTES))).toBe("");
  expect(strip(marker(MAX_HELD_BYTES + 1))).toBe(marker(MAX_HELD_BYTES + 1));
});

test.each([
  ["\x1b[31", "m"],
  ["\x1b", "[31m"],
  ["\x1b]2;a", "b\x07"],
  ["\x1bPq", "text"],
  ["\x1b]63", "3;A\x07"],
  ["\xc2", "\x9b1m"],
  ["\xe2\x82", "\xac"],
  [`\x1b]2;${"x".repeat(MAX_HELD_BYTES)}`, "text"],
])("between %j and %j the end of what was unfinished takes a marker's place", (before, after) => {
  expect(strip(`${before}\x1b]633;A\x07${after}`)).toBe(`${before}\x1b\\${after}`);
});

test("what looks like a marker and was not finished is not finished by leaving one out", () => {
  expect(strip("\x1b]633;A\x1b]633;B\x07x")).toBe("\x1b]633;A\x18x");
});

test.each([
  ["hostile", hostileOutput],
  ["long", longOutput],
] as const)("nothing is left to strip in stripped %s output", (_kind, output) => {
  fc.assert(
    fc.property(output, (text) => {
      // Viewers of UTF-8 know no such controls, so nothing needs to be kept from becoming one.
      const stripped = stripMarkers(bytesOf(text.replaceAll(/(?<!\xc2)[\x9c\x9d]/g, "")));
      expect(stripMarkers(stripped)).toBe(stripped);
    }),
    { numRuns: 1000 },
  );
});
