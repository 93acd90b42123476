import { describe, expect, test } from "vitest";
import { toBytes, render, SMALL_SIZE, textsOf } from "./testing/rendering.ts";
import { TextRenderer } from "./text-renderer.ts";

/** What happens, the output, and the lines that stand on a screen of 20 columns and 5 rows then. */
type Case = readonly [name: string, output: string, lines: readonly string[]];

const controls: readonly Case[] = [
  ["lines end with CR LF", "one\r\ntwo\r\n", ["one", "two"]],
  ["a line feed goes to the first column", "one\ntwo", ["one", "two"]],
  ["VT and FF are line feeds", "a\vb\fc", ["a", " b", "  c"]],
  ["a carriage return overwrites", "12345\rab", ["ab345"]],
  ["a backspace moves and erases nothing", "abc\b\bX", ["aXc"]],
  ["a backspace at the left edge stays there", "a\b\b\bX", ["X"]],
  ["tabs are text", "a\tb\tc", ["a\tb\tc"]],
  ["tabs stop every 8 columns", "a\tb\x1b[4D\x1b[2Kx", ["     x"]],
  ["a tab over text only moves", "0123456789\r\tX", ["01234567X9"]],
  ["a tab that is written into is blanks", "a\tb\x1b[5Gx", ["a   x   b"]],
  ["a tab at the last column moves nowhere", "\t\t\t\tab\r\n", ["\t\t\t\tab"]],
  ["tab stops can be set and cleared", "\x1b[3g\x1b[5G\x1bH\r\tx\ty\x1b[5G\x1b[g\r\tz", ["\tx\tz"]],
  ["CHT and CBT move by tab stops", "\x1b[2Ia\x1b[2Zb", ["        b       a"]],
  ["other controls are ignored", "a\0\x01\x05\x07\x7fb", ["ab"]],
  ["NEL and IND as ESC and as C1", "a\x1bEb\x1bDc\u0085d\u0084e", ["a", "b", " c", "d", " e"]],
  ["RI moves up", "a\r\nb\x1bMc\u008dd", ["  d", "ac", "b"]],
  ["blank lines are no lines", "\r\n  \r\n\u00a0\u3000\r\nx", ["x"]],
  ["blanks at the end are removed", "a   \r\nb \u00a0 ", ["a", "b"]],
];

const cursor: readonly Case[] = [
  ["CUP and HVP", "\x1b[2;3Ha\x1b[4;5fb\x1b[Hc", ["c", "  a", "    b"]],
  ["CUP beyond the screen", "\x1b[99;99Hx", [`${" ".repeat(19)}x`]],
  ["CUU CUD CUF CUB", "\x1b[2B\x1b[3Ca\x1b[2Db\x1b[Ac", ["   c", "  ba"]],
  ["CNL and CPL", "a\x1b[2Eb\x1b[Fc", ["a", "c", "b"]],
  [
    "CHA HPA HPR VPA VPR",
    "\x1b[4Ga\x1b[2`b\x1b[2ac\x1b[3dd\x1b[ee",
    [" b ac", "     d", "      e"],
  ],
  ["ESC 7 and ESC 8", "ab\x1b7\r\ncd\x1b8X", ["abX", "cd"]],
  ["CSI s and CSI u", "ab\x1b[s\r\ncd\x1b[uX", ["abX", "cd"]],
  ["ESC 8 without ESC 7 goes home", "ab\r\ncd\x1b8X", ["Xb", "cd"]],
  ["REP", "ab\x1b[3b|", ["abbbb|"]],
  ["REP ends with its row", "a\x1b[999b", ["a".repeat(20)]],
  ["REP of wide characters", "世\x1b[2b👍\x1b[b|", ["世世世👍👍|"]],
  ["REP without a character before it", "\x1b[5bx", ["x"]],
];

const erasing: readonly Case[] = [
  ["EL 0", "abcdef\x1b[3D\x1b[K", ["abc"]],
  ["EL 1", "abcdef\x1b[3D\x1b[1K", ["    ef"]],
  ["EL 2", "abcdef\x1b[2Kx", ["      x"]],
  ["EL while the cursor waits to wrap", `${"x".repeat(20)}\x1b[K`, ["x".repeat(20)]],
  ["ED 0 below the top", "a\r\nb\r\nc\x1b[2;2H\x1b[J", ["a", "b"]],
  ["ED 1", "aa\r\nbb\r\ncc\x1b[2;1H\x1b[1J", [" b", "cc"]],
  ["selective erasing", "abcdef\x1b[3D\x1b[?K\r\nx\x1b[2;1H\x1b[?J", ["abc"]],
  ["ECH", "abcdef\x1b[5D\x1b[2X", ["a  def"]],
  ["DCH", "abcdef\x1b[5D\x1b[2P", ["adef"]],
  ["ICH", "abcdef\x1b[5D\x1b[2@X", ["aX bcdef"]],
  ["insert mode", "abcdef\x1b[5D\x1b[4hXY\x1b[4l-", ["aXY-cdef"]],
  ["ICH pushes off the row", `${"x".repeat(18)}yz\r\x1b[2@`, [`  ${"x".repeat(18)}`]],
];

const wrapping: readonly Case[] = [
  ["rows that ran over are one line", `${"x".repeat(25)}\r\ny`, ["x".repeat(25), "y"]],
  ["a full row waits to wrap", `${"x".repeat(20)}\r\ny`, ["x".repeat(20), "y"]],
  ["a full row can be rewritten", `${"x".repeat(20)}\ry`, [`y${"x".repeat(19)}`]],
  [
    "no wrapping in mode ?7",
    `\x1b[?7l${"x".repeat(25)}yz\r\n\x1b[?7ha`,
    [`${"x".repeat(19)}z`, "a"],
  ],
  ["erasing the end of a row ends the line", `${"x".repeat(25)}\x1b[A\x1b[K`, ["xxxxx", "xxxxx"]],
  ["a row that is erased whole is a new line", `${"x".repeat(25)}\r\x1b[Ky`, ["x".repeat(20), "y"]],
  [
    "a row inserted between tears a line apart",
    `${"x".repeat(25)}\x1b[Ly`,
    ["x".repeat(20), "y", "xxxxx"],
  ],
  ["blanks inside of a line stay", `${"x".repeat(19)} y`, [`${"x".repeat(19)} y`]],
  [
    "an erased end is filled up",
    `${"x".repeat(25)}\x1b[A\x1b[15G\x1b[3X`,
    [`${"x".repeat(14)}   ${"x".repeat(8)}`],
  ],
];

const characters: readonly Case[] = [
  ["wide characters take two columns", "世界\b\bx", ["世x"]],
  ["half of a wide character is blanked", "世界\x1b[2Gx\x1b[4Gy", [" x y"]],
  ["erasing half of a wide character", "a世b\x1b[3G\x1b[X", ["a  b"]],
  ["a wide character wraps before the edge", `${"x".repeat(19)}世`, [`${"x".repeat(19)}世`]],
  [
    "a wide character that cannot wrap is not shown",
    `\x1b[?7l${"x".repeat(19)}世`,
    ["x".repeat(19)],
  ],
  ["accents join the character before", "e\u0301a\u0308\x1b[2Gx", ["e\u0301x"]],
  ["an accent without a character is dropped", "\u0301a\r\u0301", ["a"]],
  ["joiners and selectors are no text", "👩‍💻 ☃\ufe0f 🇩🇪!\x1b[6GX", ["👩💻 X 🇩🇪!"]],
  ["accents are bounded", `a${"\u0301".repeat(100)}b`, [`a${"\u0301".repeat(15)}b`]],
  ["a byte order mark is invisible", "\ufeffab", ["ab"]],
  ["line drawing", "\x1b(0lqk\x1b(B lqk \x1b)0\x0eqx\x0fq", ["┌─┐ lqk ─│q"]],
  ["other character sets are swallowed", "\x1b(A\x1b)B\x1b*0\x1b+0\x1b$(B\x1b%Ga", ["a"]],
];

const sequences: readonly Case[] = [
  ["colours", "\x1b[1;31mred\x1b[0m \x1b[38:2::1:2:3mx\x1b[m", ["red x"]],
  [
    "queries and unknown sequences",
    "\x1b[>c\x1b[?1$pa\x1b[=u\x1b[6n\x1b[1;2'zb\x1b[ @c\x1b#8",
    ["abc"],
  ],
  ["8-bit CSI", "a\u009b2Cb", ["a  b"]],
  ["OSC ends with BEL, ST or 8-bit ST", "\x1b]0;t\x07a\x1b]2;t\x1b\\b\u009d0;t\u009cc", ["abc"]],
  [
    "BEL is part of the other strings",
    "\x1bPq\x07#\x1b\\a\x1b_x\x07\x1b\\b\x1b^\x07\x1b\\c\x1bX\x07\x1b\\d",
    ["abcd"],
  ],
  ["8-bit strings", "\u0090x\u009ca\u0098x\u009cb\u009ex\u009cc\u009fx\u009cd", ["abcd"]],
  ["CAN and SUB abort", "a\x1b[3\x18b\x1b]0;t\x1ac\x1b\x18d", ["abcd"]],
  ["ESC begins anew", "a\x1b[3\x1b[2Cb\x1b]t\x1b[Cc\x1b\x1b[Cd", ["a  b c d"]],
  ["C0 inside of a sequence is executed", "ab\x1b[\b2\rCx", ["abx"]],
  ["C1 inside of a sequence aborts it", "a\x1b[3\u0085b", ["a", "b"]],
  ["any other character aborts a sequence", "a\x1b[3éb\x1b(éc", ["aébéc"]],
  ["DEL inside of a sequence is ignored", "a\x1b[\x7f2\x7fCb", ["a  b"]],
  ["parameters after intermediates", "a\x1b[1 2Cb", ["ab"]],
  ["a prefix in the wrong place", "a\x1b[1?Cb", ["ab"]],
  ["too many parameters", `a\x1b[${"1;".repeat(40)}4Cb`, ["a b"]],
  ["huge parameters", "a\x1b[99999999999999999999Cb", [`a${" ".repeat(18)}b`]],
];

const modes: readonly Case[] = [
  ["a soft reset", "\x1b[4h\x1b[?7l\x1b[2;3r\x1b(0\x1b[!pa\r\n\n\nq", ["a", "q"]],
  ["origin mode", "\x1b[2;3r\x1b[?6ha\x1b[9;1Hb\x1b[?6lc", ["c", "a", "b"]],
  [
    "a saved cursor has its origin mode",
    "up\x1b[2;4r\x1b[?6h\x1b7\x1b[?6l\x1b8\x1b[Ha",
    ["up", "a"],
  ],
  [
    "margins stop the cursor",
    "\x1b[2;4r\x1b[3H\x1b[9Aa\x1b[9Bb\x1b[H\x1b[9Bc\x1b[5H\x1b[9Ad",
    ["d", "cb"],
  ],
];

describe.each([
  ["controls", controls],
  ["cursor movement", cursor],
  ["erasing", erasing],
  ["wrapping", wrapping],
  ["characters", characters],
  ["sequences", sequences],
  ["modes", modes],
])("%s", (_, cases) => {
  test.each(cases)("%s", (_name, output, lines) => {
    const { final, current } = render(output);
    expect(current).toEqual(lines);
    expect(final).toEqual([]);
  });
});

test("bad UTF-8 is shown as a replacement character", () => {
  const { current } = render(Uint8Array.of(0x61, 0xff, 0xe2, 0x94, 0x62, 0xc0, 0x80, 0x63));
  expect(current).toEqual(["a\ufffd\ufffdb\ufffd\ufffdc"]);
});

test("marks say when a text was begun and when it was last written to", () => {
  const renderer = new TextRenderer({ size: SMALL_SIZE });
  renderer.write(toBytes("build"), 3);
  renderer.write(toBytes(" ok\r\n"), 4);
  renderer.write(toBytes("   "), 5);
  renderer.write(toBytes("indented"), 6);
  renderer.write(toBytes("\r\n10%"), 7);
  renderer.write(toBytes("\r20%"), 8);
  renderer.write(toBytes(`\r\n${"x".repeat(20)}`), 9);
  renderer.write(toBytes("yz"), 10);
  expect(renderer.current()).toEqual([
    { text: "build ok", first: 3, last: 4, carry: 0 },
    { text: "   indented", first: 6, last: 6, carry: 0 },
    { text: "20%", first: 8, last: 8, carry: 0 },
    { text: `${"x".repeat(20)}yz`, first: 9, last: 10, carry: 0 },
  ]);
});

test("a line is what it was when its last row was changed after a later one", () => {
  const renderer = new TextRenderer({ size: SMALL_SIZE });
  renderer.write(toBytes("x".repeat(25)), 1);
  renderer.write(toBytes("\x1b[A\x1b[2Gy"), 2);
  expect(renderer.current()).toMatchObject([{ first: 1, last: 2 }]);
});

test("the end makes everything final, and a character that was begun is a bad one", () => {
  const renderer = new TextRenderer({ size: SMALL_SIZE });
  renderer.write(toBytes("one\r\n\x1b[?1049htwo"), 1);
  renderer.write(Uint8Array.of(0xe4, 0xb8), 2);
  renderer.end();
  expect(textsOf(renderer.takeFinal())).toEqual(["one", "two\ufffd"]);
  expect(renderer.current()).toEqual([]);
  renderer.write(toBytes("three"), 3);
  expect(textsOf(renderer.current())).toEqual(["three"]);
});

test("what is final is given once", () => {
  const renderer = new TextRenderer({ size: SMALL_SIZE });
  renderer.write(toBytes("one\x1b[2J"), 1);
  expect(textsOf(renderer.takeFinal())).toEqual(["one"]);
  expect(renderer.takeFinal()).toEqual([]);
});
