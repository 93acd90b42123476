import { describe, expect, test } from "vitest";
import { Emulator } from "./emulator.ts";
import { renderScreen } from "./render-screen.ts";
import type { ScreenPicture } from "./screen-change.ts";

const SIZE = { cols: 20, rows: 3 };

function pictureOf(
  output: string,
  format: "text" | "cells" | "html" | "svg" = "text",
): ScreenPicture {
  using emulator = new Emulator({ size: SIZE, scrollback: 10 });
  emulator.writeAll(new TextEncoder().encode(output));
  return renderScreen(emulator, { sequence: 7, format });
}

const contentOf = (output: string, format: "cells" | "html" | "svg"): string =>
  pictureOf(output, format).content ?? "";

describe("text", () => {
  test("has the visible rows without blanks at their ends", () => {
    expect(pictureOf("gone\r\none  \r\n  two\r\n\u001b[41m   \u001b[m")).toEqual({
      sequence: 7,
      size: SIZE,
      text: "one\n  two\n",
      cursor: { row: 2, column: 3, visible: true },
      alternate: false,
      isFull: false,
      hash: expect.stringMatching(/^[0-9a-f]{32}$/),
    });
  });

  test("keeps wide letters, marks and white space that is not a space", () => {
    expect(pictureOf("字 e\u0301 😀\u3000").text).toBe("字 e\u0301 😀\u3000\n\n");
  });

  test("a cursor that waits to wrap stands behind the last column", () => {
    expect(pictureOf("x".repeat(20)).cursor).toEqual({ row: 0, column: 20, visible: true });
    expect(pictureOf(`\u001b[?7l\u001b[?25l${"x".repeat(30)}`).cursor).toEqual({
      row: 0,
      column: 19,
      visible: false,
    });
  });

  test("the alternate screen is told", () => {
    expect(pictureOf("below\u001b[?1049h\u001b[Habove")).toMatchObject({
      alternate: true,
      text: "above\n\n",
    });
  });
});

describe("the digest", () => {
  const hashOf = (output: string): string => pictureOf(output).hash;

  test("is the same for the same screen, however it came about", () => {
    expect(hashOf("\u001b[31mred\u001b[m")).toBe(hashOf("xxx\r\u001b[2K\u001b[31mred"));
    expect(hashOf("a   \u001b[1;2H")).toBe(hashOf("a"));
  });

  test.each([
    ["text", "b"],
    ["colour", "\u001b[31ma"],
    ["ground", "\u001b[41ma"],
    ["underline", "\u001b[4ma"],
    ["cursor", "a\r"],
    ["cursor's visibility", "a\u001b[?25l"],
    ["kind of screen", "\u001b[?1049ha"],
  ])("is another one for another %s", (_what, output) => {
    expect(hashOf(output)).not.toBe(hashOf("a"));
  });
});

describe("cells", () => {
  test("are runs of text, width, colours and attributes", () => {
    const output =
      "plain\u001b[1;3;31;48;5;208mbold\u001b[0;38;2;1;2;3m字\u001b[m\r\n\u001b[44m \u001b[m";
    expect(JSON.parse(contentOf(output, "cells"))).toEqual([
      [
        { text: "plain", width: 5 },
        { text: "bold", width: 4, fg: 1, bg: 208, attributes: ["bold", "italic"] },
        { text: "字", width: 2, fg: "#010203" },
      ],
      [{ text: " ", width: 1, bg: 4 }],
      [],
    ]);
  });

  test("name every attribute", () => {
    const output = "\u001b[1;2;3;4;5;7;8;9;53mx";
    expect(JSON.parse(contentOf(output, "cells"))[0][0].attributes).toEqual([
      "bold",
      "dim",
      "italic",
      "underline",
      "blink",
      "inverse",
      "hidden",
      "strikethrough",
      "overline",
    ]);
  });
});

const HOSTILE = `<script>alert(1)</script> "&' \u202e`;

describe("html", () => {
  test("is one element with styles of its own", () => {
    const html = contentOf("\u001b[1;31mred\u001b[7m!\u001b[m plain", "html");
    expect(html).toMatch(/^<pre dir="ltr" style="[^"]+">.*<\/pre>$/s);
    expect(html).toContain('<span style="color:#d9525b;font-weight:bold">red</span>');
    expect(html).toContain(
      '<span style="color:#11141a;background:#d9525b;font-weight:bold">!</span>',
    );
    expect(html).toContain(" plain\n\n</pre>");
  });

  test("has text only as text", () => {
    const html = contentOf(HOSTILE, "html");
    expect(html).toContain("&lt;script&gt;alert(1)");
    expect(html).not.toContain("<script");
    expect(html).not.toContain("\u202e");
  });
});

describe("svg", () => {
  test("is a picture on a grid with wide letters over two cells", () => {
    const svg = contentOf("ab\u001b[42mc\u001b[m字d", "svg");
    expect(svg).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg" width="196" height="70"/);
    expect(svg).toContain('<text x="8" y="22" textLength="18"');
    expect(svg).toContain('<rect x="26" y="8" width="9" height="18" fill="#6fb84a"/>');
    expect(svg).toContain(
      '<text x="35" y="22" textLength="18" lengthAdjust="spacingAndGlyphs">字</text>',
    );
    expect(svg).toContain(
      '<text x="53" y="22" textLength="9" lengthAdjust="spacingAndGlyphs">d</text>',
    );
  });

  test("has text only as text, and nothing that runs or loads", () => {
    const svg = contentOf(HOSTILE, "svg");
    expect(svg).toContain("&lt;script&gt;");
    expect(svg).not.toMatch(/<script|href|url\(|<image|<foreignObject/);
  });
});
