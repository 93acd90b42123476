import { describe, expect, test } from "vitest";
import { ProgramOutput } from "./program-output.ts";

const shown = (text: string, output = new ProgramOutput()): string =>
  Buffer.from(output.push(Buffer.from(text, "latin1"))).toString("latin1");

const QUESTIONS = [
  "\x05",
  "\x1bZ",
  "\x1b[c",
  "\x1b[0c",
  "\x1b[>c",
  "\x1b[=c",
  "\xc2\x9bc",
  "\x1b[5n",
  "\x1b[6n",
  "\x1b[?6n",
  "\x1b[6\nn",
  "\x1b[?2004$p",
  "\x1b[4$p",
  "\x1b[>q",
  "\x1b[>0q",
  "\x1b[14t",
  "\x1b[18t",
  "\x1b[21t",
  "\x1b[?u",
  "\x1b[x",
  "\x1b[?4m",
  "\x1b[1;1;1;1;5;5*y",
  "\x1b[?2;1;0S",
  "\x1b]11;?\x07",
  "\x1b]4;1;?\x1b\\",
  "\x1b]4;1;?;2;red\x07",
  "\xc2\x9d10;?\xc2\x9c",
  "\x1b]52;c;?\x07",
  "\x1b]1337;ReportCellSize\x07",
  "\x1bP$qm\x1b\\",
  "\x1bP+q544e\x1b\\",
  "\x1bPtmux;\x1b\x1b[c\x1b\\",
  "\x1b_Gi=1,a=q;AAAA\x1b\\",
];

const HARMLESS = [
  "plain text with \xc3\xa9 and \xc2\xa9",
  "\x1b[1;31mred\x1b[m",
  "\x1b[2J\x1b[H\x1b[?25l\x1b[2 q\x1b[!p",
  "\x1b[?1049h\x1b[?1000;1006h\x1b[?2004h\x1b[?1004h",
  "\x1b[>4;2m\x1b[>1u\x1b[<u\x1b[>4n",
  "\x1b[22;2t\x1b[23;2t",
  "\x1b]2;is this a title?\x07",
  "\x1b]8;;https://example.org/?a=b\x1b\\link\x1b]8;;\x1b\\",
  "\x1b]52;c;aGk=\x07",
  "\x1b]10;#ffffff\x07",
  "\x1b(0lqk\x1b(B\x1b7\x1b8\x1b=\x1b>",
  "\x1bPq#0;2;0;0;0~~\x1b\\",
];

describe("what is shown", () => {
  test.each(QUESTIONS)("not the question %j", (question) => {
    // An end of a string that nobody began says nothing.
    expect(shown(`a${question}b`).replace("\x1b\\", "")).toBe("ab");
  });

  test.each(HARMLESS)("%j as it is", (text) => {
    expect(shown(`a${text}b`)).toBe(`a${text}b`);
  });

  test("is the same wherever the bytes are cut", () => {
    const text = [...QUESTIONS, ...HARMLESS].join("x");
    const whole = shown(text);
    for (const size of [1, 2, 3, 5, 7]) {
      const output = new ProgramOutput();
      let pieces = "";
      for (let at = 0; at < text.length; at += size) {
        pieces += shown(text.slice(at, at + size), output);
      }
      expect(pieces).toBe(whole);
    }
  });

  test("leaves out modes in which a terminal reports by itself, and keeps those beside them", () => {
    expect(shown("\x1b[?1049;2048h")).toBe("\x1b[?1049h");
    expect(shown("\x1b[?2031h")).toBe("\x1b[?0h");
  });

  test("has a large picture in pieces, and nothing of another string that does not end", () => {
    const picture = `\x1bPq${"~".repeat(20_000)}\x1b\\`;
    const output = new ProgramOutput();
    const half = picture.length / 2;
    expect(shown(picture.slice(0, half), output) + shown(picture.slice(half), output)).toBe(
      picture,
    );
    const other = new ProgramOutput();
    expect(shown(`\x1b]4;1;${"x".repeat(20_000)}`, other)).toBe("");
    expect(shown(";?", other) + shown("\x1b", other) + shown("\\after", other)).toBe("after");
  });
});

describe("what is known", () => {
  test("is which screen is shown", () => {
    const output = new ProgramOutput();
    shown("\x1b[?1049h", output);
    expect(output.isAlternate).toBe(true);
    shown("\x1b[?104", output);
    expect(output.isAlternate).toBe(true);
    shown("9l", output);
    expect(output.isAlternate).toBe(false);
  });

  test("is whether rows are counted from a margin", () => {
    const output = new ProgramOutput();
    shown("\x1b[?6;7h", output);
    expect(output.countsFromMargin).toBe(true);
    shown("\x1b[?6l", output);
    expect(output.countsFromMargin).toBe(false);
  });

  test("is whether something may be written between", () => {
    const output = new ProgramOutput();
    const steps = ["text", "\x1b[", "1m", "\xe2\x82", "\xac", "\x1b]2;t", "\x07", "\xc2", "\xa9"];
    const known = steps.map((step) => {
      shown(step, output);
      return output.isWhole;
    });
    expect(known).toEqual([true, false, true, false, true, false, true, false, true]);
  });
});
