import { describe, expect, test } from "vitest";
import { toBytes, render, SMALL_SIZE, textsOf } from "./testing/rendering.ts";
import { TextRenderer } from "./text-renderer.ts";

/** What happens, the output, what is final then, and what is still on a screen of 20 columns and 5 rows. */
type Case = readonly [name: string, output: string, final: string[], current: string[]];

const FULL = "a\r\nb\r\nc\r\nd\r\ne";

const scrolling: readonly Case[] = [
  ["a line that scrolls off is final", `${FULL}\r\nf\r\ng`, ["a", "b"], ["c", "d", "e", "f", "g"]],
  ["a blank line that scrolls off is none", "\r\n \r\na\r\nb\r\nc\r\nd", [], ["a", "b", "c", "d"]],
  ["SU", `${FULL}\x1b[2S`, ["a", "b"], ["c", "d", "e"]],
  ["SD", `${FULL}\x1b[2T`, ["d", "e"], ["a", "b", "c"]],
  ["mouse tracking is no SD", `${FULL}\x1b[1;2;3;4;5T`, [], ["a", "b", "c", "d", "e"]],
  ["RI at the top", `${FULL}\x1b[H\x1bMx`, ["e"], ["x", "a", "b", "c", "d"]],
  ["IL", `${FULL}\x1b[2H\x1b[2Lx`, ["d", "e"], ["a", "x", "b", "c"]],
  ["DL", `${FULL}\x1b[2H\x1b[2Mx`, ["b", "c"], ["a", "x", "e"]],
  ["a scroll region", `${FULL}\x1b[2;4r\x1b[4H\nx`, ["b"], ["a", "c", "d", "x", "e"]],
  ["RI in a scroll region", `${FULL}\x1b[2;4r\x1b[2H\x1bMx`, ["d"], ["a", "x", "b", "c", "e"]],
  [
    "IL and DL outside of the region",
    `${FULL}\x1b[2;4r\x1b[5H\x1b[L\x1b[M`,
    [],
    ["a", "b", "c", "d", "e"],
  ],
  ["a line feed below the region", `${FULL}\x1b[2;4r\x1b[5;2H\nx`, [], ["a", "b", "c", "d", "x"]],
  ["a region of one row is none", `${FULL}\x1b[3;3r\x1b[5;1H\nx`, ["a"], ["b", "c", "d", "e", "x"]],
];

const clearing: readonly Case[] = [
  ["ED 2", "a\r\nb\x1b[2Jc", ["a", "b"], [" c"]],
  ["ED 3", "a\r\nb\x1b[3J", ["a", "b"], []],
  ["ED 0 at home", "a\r\nb\x1b[H\x1b[Jc", ["a", "b"], ["c"]],
  ["ED 0 elsewhere", "a\r\nb\x1b[1;2H\x1b[J", [], ["a"]],
  ["RIS", "a\r\nb\x1b[2;3r\x1b[4h\x1bcc", ["a", "b"], ["c"]],
  ["rewriting in place", "a\r\nb\x1b[H1\r\n2\x1b[K", [], ["1", "2"]],
];

const alternate: readonly Case[] = [
  ["entering keeps the primary screen", "a\r\n\x1b[?1049h\x1b[Hx", [], ["a", "x"]],
  ["leaving makes its lines final", "a\r\n\x1b[?1049h\x1b[Hx\x1b[?1049lb", ["x"], ["a", "b"]],
  ["it is blank when it is entered", "\x1b[?1049hx\x1b[?1049l\x1b[?1049hy", ["x"], ["y"]],
  ["entering twice changes nothing", "a\x1b[?1049hx\x1b[?1049hy\x1b[?1049lb", [" xy"], ["ab"]],
  [
    "?47 and ?1047 leave the cursor",
    "a\x1b[?47hb\x1b[?47lc\x1b[?1047hd\x1b[?1047le",
    [" b", "   d"],
    ["a c e"],
  ],
  ["?1048 is only about the cursor", "a\x1b[?1048hbc\x1b[?1048lx", [], ["axc"]],
  ["its region is its own", "\x1b[?1049h\x1b[1;2r\x1b[?1049l\r\n\n\n\n\na", [], ["a"]],
  [
    "what scrolls off it is final",
    "\x1b[?1049h1\r\n2\r\n3\r\n4\r\n5\r\n6",
    ["1"],
    ["2", "3", "4", "5", "6"],
  ],
  ["several modes at once", "a\x1b[?25;1049;2004hx\x1b[?1049;25lb", [" x"], ["ab"]],
];

const wrapped: readonly Case[] = [
  [
    "a line is final when its last row is",
    `${"x".repeat(30)}\r\n1\r\n2\r\n3\r\n4`,
    [],
    [`${"x".repeat(30)}`, "1", "2", "3", "4"],
  ],
  [
    "a line longer than the screen is one line",
    `${"x".repeat(130)}\r\n1\r\n2\r\n3\r\n4\r\n5`,
    ["x".repeat(130)],
    ["1", "2", "3", "4", "5"],
  ],
  [
    "a line whose beginning is gone is one line still",
    `${"x".repeat(50)}\r\n1\r\n2\r\n3`,
    [],
    [`${"x".repeat(50)}`, "1", "2", "3"],
  ],
  [
    "what is gone is final when its end is erased",
    `${"x".repeat(50)}\r\n1\r\n2\r\n3\x1b[1;1H\x1b[2Ky`,
    ["x".repeat(20)],
    ["y", "xxxxxxxxxx", "1", "2", "3"],
  ],
  [
    "a line that wraps in a region",
    `top\x1b[5Hend\x1b[2;4r\x1b[4H${"x".repeat(70)}`,
    [],
    ["top", "x".repeat(70), "end"],
  ],
  [
    "a line on a screen below the region does not run on",
    `\x1b[1;3r\x1b[5H${"x".repeat(25)}`,
    [],
    ["xxxxx" + "x".repeat(15)],
  ],
];

describe.each([
  ["scrolling", scrolling],
  ["clearing", clearing],
  ["the alternate screen", alternate],
  ["lines that ran over", wrapped],
])("%s", (_, cases) => {
  test.each(cases)("%s", (_name, output, final, current) => {
    expect(render(output)).toEqual({ final, current });
  });
});

describe("another size", () => {
  const resize = (output: string, cols: number, rows: number) => {
    const renderer = new TextRenderer({ size: SMALL_SIZE });
    renderer.write(toBytes(output), 1);
    renderer.resize({ cols, rows });
    const lines = () => ({
      final: textsOf(renderer.takeFinal()),
      current: textsOf(renderer.current()),
    });
    return { ...lines(), write: (text: string) => (renderer.write(toBytes(text), 2), lines()) };
  };

  test("blank rows below the cursor are dropped first", () => {
    expect(resize("a\r\nb", 20, 2)).toMatchObject({ final: [], current: ["a", "b"] });
  });

  test("rows at the top are final when the cursor would fall off", () => {
    const screen = resize(FULL, 20, 2);
    expect(screen).toMatchObject({ final: ["a", "b", "c"], current: ["d", "e"] });
    expect(screen.write("x")).toEqual({ final: [], current: ["d", "ex"] });
  });

  test("rows below the cursor are final when they do not fit", () => {
    expect(resize(`${FULL}\x1b[2H`, 20, 3)).toMatchObject({
      final: ["d", "e"],
      current: ["a", "b", "c"],
    });
  });

  test("a larger screen has blank rows at its end and no region", () => {
    const screen = resize(`${FULL}\x1b[2;4r\x1b[5;2H`, 20, 7);
    expect(screen.write("\r\nf\r\ng")).toEqual({
      final: [],
      current: ["a", "b", "c", "d", "e", "f", "g"],
    });
  });

  test("text beyond a narrower screen stays until it is overwritten", () => {
    const screen = resize("0123456789\r\nabcdefghij", 5, 5);
    expect(screen.current).toEqual(["0123456789", "abcdefghij"]);
    expect(screen.write("\r\x1b[K\x1b[HX").current).toEqual(["X123456789"]);
  });

  test("text beyond a narrower screen is gone when the row runs over", () => {
    expect(resize("0123456789\r", 5, 5).write("abcdefg").current).toEqual(["abcdefg"]);
  });

  test("the cursor stays on the screen", () => {
    expect(resize("0123456789", 5, 5).write("X").current).toEqual(["0123X56789"]);
    expect(resize("x".repeat(20), 30, 5).write("y").current).toEqual([`${"x".repeat(20)}y`]);
  });

  test("both screens change", () => {
    const screen = resize(`${FULL}\x1b[?1049h1\x1b[H2`, 20, 2);
    expect(screen.final).toEqual(["a", "b", "c", " 1"]);
    expect(screen.write("\x1b[?1049lx")).toEqual({ final: ["2"], current: ["d", "ex"] });
  });

  test("a wide character stands on a screen of one column", () => {
    expect(render("世界a", { cols: 1, rows: 9 })).toEqual({ final: [], current: ["世界a"] });
  });
});
