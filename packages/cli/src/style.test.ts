import { expect, test } from "vitest";
import { plainOutput } from "./plain-output.ts";
import { createStyle, displayWidth, formatTable, wantsColor } from "./print.ts";

test.each([
  ["auto", {}, true, true],
  ["auto", {}, false, false],
  ["auto", { NO_COLOR: "1" }, true, false],
  ["auto", { NO_COLOR: "" }, true, true],
  ["auto", { CLICOLOR_FORCE: "1" }, false, true],
  ["auto", { CLICOLOR_FORCE: "0" }, false, false],
  ["auto", { NO_COLOR: "1", CLICOLOR_FORCE: "1" }, true, false],
  ["auto", { TERM: "dumb" }, true, false],
  ["always", { NO_COLOR: "1" }, false, true],
  ["never", { CLICOLOR_FORCE: "1" }, true, false],
])("--color %s with %j and a terminal %s: %s", (when, env, isTerminal, isColored) => {
  expect(wantsColor({ when, env, isTerminal })).toBe(isColored);
});

test("a table shows what others said without letting it act", () => {
  const rows = [
    { name: "a\u001B]0;evil\u0007", words: "one\ntwo" },
    { name: "日本", words: "x" },
  ];
  const text = formatTable(
    rows,
    [
      { head: "NAME", text: ({ name }) => name, maxWidth: 12 },
      { head: "WORDS", text: ({ words }) => words },
    ],
    createStyle(false),
  );
  expect(text).toBe(
    ["NAME          WORDS", String.raw`a\u001b]0;e…  one\u000atwo`, "日本          x"].join("\n"),
  );
  expect(displayWidth("日本")).toBe(4);
});

test("what a program wrote is read as lines", () => {
  const written = "\u001B[31mred\u001B[0m\r\n10%\r20%\rdone\r\nb\u0007ell\ttab\u202E\n";
  expect(plainOutput(written)).toBe("red\ndone\nb\\u0007ell    tab\\u202e\n");
});
