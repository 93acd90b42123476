import fc from "fast-check";
import { expect, test } from "vitest";
import { readText, readTextEnds } from "./output-text.ts";

const ESC = "\u001B";

/** Stands for what is drawn on a screen of its own. */
const OWN = "[a full-screen program drew here]";

test.each([
  ["colours", `${ESC}[1;31merror${ESC}[0m: no`, "error: no"],
  ["line ends of terminals", "one\r\ntwo\r\n", "one\ntwo\n"],
  ["a progress line", "10%\r50%\r100%\r\ndone", "100%\ndone"],
  ["a shorter text over a longer one", `downloading\r${ESC}[Kok`, "ok"],
  ["erased beginnings", `secret${ESC}[1K!`, "      !"],
  ["erased lines", `secret${ESC}[2K\rok`, "ok"],
  ["backspaces", "abc\b\b\u001B[Kx", "ax"],
  ["overstruck bold", "N\bNA\bAME\bE", "NAME"],
  ["columns", `a${ESC}[3Cb${ESC}[2Gx${ESC}[1Dy`, "ay  b"],
  ["other lines", `${ESC}[2J${ESC}[Hfirst${ESC}[2;1Hsecond`, "first\nsecond"],
  ["titles", `a${ESC}]0;evil\u0007b${ESC}]8;;http://evil${ESC}\\c`, "abc"],
  ["one-byte introducers", "a\u009B31mb\u009D0;evil\u009Cc", "abc"],
  ["what is cut off", `end${ESC}[3`, "end"],
  ["titles that never end", `end${ESC}]0;evil`, "end"],
  ["tabs, which stay", "a\tb", "a\tb"],
  ["concealed text", `a${ESC}[8mhidden${ESC}[28mb${ESC}[8mhidden${ESC}[mc`, "a      b      c"],
  ["colours whose number is that of concealing", `${ESC}[38;5;8mgrey${ESC}[48;2;8;8;8mx`, "greyx"],
  ["white on white", `a${ESC}[97;107mrm -rf${ESC}[0mb${ESC}[37;48;5;7mx${ESC}[49my`, "a      b y"],
  [
    "colours that nobody can tell apart",
    `${ESC}[38;2;250;250;250;48:2::255:255:255mx${ESC}[mb`,
    " b",
  ],
  [
    "colours that can be",
    `${ESC}[97;41mred${ESC}[38;5;196;48;5;231mred${ESC}[30mdark`,
    "redreddark",
  ],
  ["hidden text over other text", `name\r${ESC}[8mevil${ESC}[0m`, "    "],
  ["progress in several lines", `a 1%\r\nb 1%\r\n${ESC}[2A\ra 9%\r\nb 9%\r\n`, "a 9%\nb 9%\n"],
  ["lines that are erased below", `a\r\nb\r\nc${ESC}[2F${ESC}[Jdone\r\n`, "done\n"],
  ["a screen of its own", `a\r\n${ESC}[?1049h${ESC}[Hvim${ESC}[?1049lb`, `a\n${OWN}\nb`],
  ["separators of lines", "a\u2028b\u2029c", "abc"],
  ["other controls", "a\u0000\u0001\u007Fb\u0007", "ab"],
  ["a next line (C1)", "a\u0085b", "a\nb"],
  ["blank lines and blanks at the end", "a  \r\n\r\n$ ", "a  \n\n$ "],
  ["rows that nothing was written to", `a${ESC}[9;1Hb`, "a\nb"],
  [
    "a place on the screen",
    `$ top\r\n${ESC}[Hone${ESC}[K\r\ntwo${ESC}[Hnew${ESC}[K`,
    "$ top\nnew\ntwo",
  ],
  ["output of pipes", "one\ntwo\n", "one\ntwo\n"],
  ["ordinary writing", "naïve 日本語 🐚 ~/src → 50%", "naïve 日本語 🐚 ~/src → 50%"],
])("%s", (_, output, shown) => {
  expect(readText(output)).toBe(shown);
});

test("what nobody sees is not there for a model either", () => {
  const hidden = [
    0x200b, 0x200c, 0x200d, 0x2060, 0xfeff, 0x00ad, 0x034f, 0x180e, 0x3164, 0x200e, 0x200f, 0x202a,
    0x202e, 0x2066, 0x2069, 0x061c, 0xfe0f, 0xe0100, 0xe0041, 0xe007f, 0xfff9, 0xd800,
  ].map((code) => String.fromCodePoint(code));
  expect(readText(`a${hidden.join("b")}c`)).toBe(`a${"b".repeat(hidden.length - 1)}c`);
});

test("an end that is cut off hides neither the notice nor the other end", () => {
  const notice = "[90 of 100 bytes left out here]\n";
  for (const open of [`${ESC}]0;title`, `${ESC}[8m`, `${ESC}[?1049h`]) {
    expect(readTextEnds(`head${open}${notice}tail`, notice)).toMatch(
      /^head[^]*left out here\]\ntail$/,
    );
  }
  expect(readTextEnds("whole", notice)).toBe("whole");
});

test("a few bytes cannot ask for more blanks than a row has", () => {
  const output = `x${ESC}[4000Gy\n`.repeat(10_000);
  expect(readText(output).length).toBeLessThan(10_000 * 82);
});

test("whatever is written, the text has no character that acts or hides, and its length is bounded", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 8 }),
    fc.constantFrom(
      `${ESC}[`,
      `${ESC}]`,
      "\r",
      "\b",
      `${ESC}[999999999C`,
      `${ESC}[8m`,
      "\u009B",
      `${ESC}[9A`,
      `${ESC}[J`,
    ),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      const text = readText(pieces.join(""));
      expect(text).not.toMatch(/[\p{Default_Ignorable_Code_Point}\p{Cs}]|(?![\n\t])\p{Cc}/u);
      expect(text.length).toBeLessThan(80 * (24 + pieces.join("").length));
    }),
  );
});

test.each([
  ["$ ", "echo )\r\u001b[2C\u001b[7mecho )\u001b[0m\r\n", "echo )\n"],
  ["\u001b[32muser\u001b[0m$ ", "fo\b\bfor\u001b[K", "for"],
  ["50%", "\r100%", "100%"],
  ["done\n", "next", "next"],
])("S-F10: after %j, what a line editor draws again is read once", (before, output, read) => {
  expect(readText(output, { before })).toBe(read);
});
