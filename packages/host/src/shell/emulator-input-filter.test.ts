import { expect, test } from "vitest";
import { MAX_ESCAPE_SEQUENCE_BYTES, MAX_MARKER_BYTES } from "./escape-sequence-scanner.ts";
import { EmulatorInputFilter } from "./emulator-input-filter.ts";
import { bytesOf, textOf, utf8 } from "./testing/output.ts";

const drawn = (text: string): string => textOf(new EmulatorInputFilter().push(bytesOf(text)));

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
const OPENINGS = ["\x1b]", "\xc2\x9d", "\x1b\0]", "\x1b\xff]"];
const ENDS = ["\x07", "\x1b\\", "\xc2\x9c"];

const markers = BODIES.flatMap((body) =>
  OPENINGS.flatMap((opening) => ENDS.map((end) => `${opening}${body}${end}`)),
);

test.each(markers)("%j is left out", (marker) => {
  expect(drawn(`a${marker}b`)).toBe("ab");
  expect(drawn(`${marker}${marker}`)).toBe("");
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
  "\x1b]633;A\xc2\x9b1m",
  "\xe2\x9d\x9d633;A\x07",
  "text\x1b]0;ti",
  "\x1bPq",
  "\x1b_G",
  "\x1b]52;c;",
  "\x1b]01337;File=",
  `\x1bP${"x".repeat(MAX_ESCAPE_SEQUENCE_BYTES)}\x1b\\`,
  `\x1b]1337;File=:${"x".repeat(MAX_ESCAPE_SEQUENCE_BYTES)}\x07`,
])("%j stays the very same", (text) => {
  const bytes = bytesOf(text);
  expect(new EmulatorInputFilter().push(bytes)).toBe(bytes);
});

test("a marker may be as long as what is held back, and no longer", () => {
  const marker = (length: number) => `\x1b]633;E;${"x".repeat(length - 9)}\x07`;
  expect(drawn(marker(MAX_MARKER_BYTES))).toBe("");
  expect(drawn(marker(MAX_MARKER_BYTES + 1))).toBe(marker(MAX_MARKER_BYTES + 1).slice(1));
});

test.each([
  ["\x1b[31", "m"],
  ["\x1b", "[31m"],
  ["\x1b]2;a", "b\x07"],
  ["\x1bPq", "text"],
  ["\x1b]63", "3;A\x07"],
  ["\xc2", "\x9b1m"],
  ["\xe2\x82", "\xac"],
])("between %j and %j the end of what was unfinished takes a marker's place", (before, after) => {
  expect(drawn(`${before}\x1b]633;A\x07${after}`)).toBe(`${before}\x1b\\${after}`);
});

const long = "x".repeat(MAX_MARKER_BYTES);

test.each([
  ["\x1b", ""],
  ["\x1b(", "("],
  ["\x1b[31", "[31"],
  ["\xc2\x9b31", "31"],
  ["\x1b]0;text", "]0;text"],
  ["\xc2\x9d0;text", "0;text"],
  ["\x1b]633;A", "]633;A"],
  ["\x1b]52", "]52"],
  ["\x1b]521;", "]521;"],
  ["\x1b]0;text\x1b", "]0;text"],
  ["\x1b]0;text\x1b]1;more\x1b[3", "]0;text]1;more[3"],
  ["\x1bPq\x1b", "\x1bPq\x1b\\"],
  [`\x1b]0;${long}text`, `]0;${long}text`],
  [`\x1b]0;${long}\x07text`, `]0;${long}\x07text`],
  [`\x1b[${"7".repeat(MAX_MARKER_BYTES)}text`, `[${"7".repeat(MAX_MARKER_BYTES)}text`],
  [`\x1b]2;a\x1b]0;${long}text`, `]2;a]0;${long}text`],
  [`\x1b]2;a\x1b]0;${long}text\x1b]633;A\x07b`, `]2;a]0;${long}textb`],
])("of %j, which was given up as unfinished, the text is shown", (text, shown) => {
  expect(drawn(text)).toBe(shown);
});

test.each([
  [utf8("\x1bé]2;text"), utf8("\x1b\x1b\\é]2;text")],
  [utf8("\x1b[3漢text"), utf8("\x1b[3\x1b\\漢text")],
])("where %j is over, it is over for viewers: %j", (text, shown) => {
  expect(drawn(text)).toBe(shown);
});

test("what looks like a marker and was not finished is not finished by leaving one out", () => {
  expect(drawn("\x1b]633;A\x1b]633;B\x07x")).toBe("\x1b]633;A\x18x");
});
