import type { WaitCondition } from "@nacre/contracts";
import { expect, test } from "vitest";
import { createOutputMatcher } from "./output-matcher.ts";

function findIn(condition: WaitCondition, pieces: readonly string[]): (string | undefined)[] {
  const matcher = createOutputMatcher(condition, 0);
  return pieces.map((piece) => matcher?.find(Buffer.from(piece)));
}

test("a text is found across pieces and through colours", () => {
  const pieces = ["Server re\u001b[32mad", "y on \u001b[0mport 80\r\n"];
  expect(findIn({ kind: "text", text: "ready on port" }, pieces)).toEqual([
    undefined,
    "ready on port",
  ]);
});

test("a text across lines is found with plain line feeds", () => {
  expect(findIn({ kind: "text", text: "one\ntwo" }, ["one\r\n", "two"])).toEqual([
    undefined,
    "one\ntwo",
  ]);
});

test("a regular expression gives what it matched, line by line", () => {
  const pieces = ["listening\r\n", "port: 80", "80\r\n"];
  expect(findIn({ kind: "regex", pattern: "^port: \\d{4}$" }, pieces)).toEqual([
    undefined,
    undefined,
    "port: 8080",
  ]);
});

test("a pattern that takes too long is refused instead of holding up everybody", () => {
  expect(() => findIn({ kind: "regex", pattern: "^(a+)+$" }, [`${"a".repeat(40)}b`])).toThrow(
    "takes too long",
  );
});

test("after a pattern that took too long the next ones get little time, but enough for what is ordinary", () => {
  const slow = (): unknown => findIn({ kind: "regex", pattern: "^(a+)+$" }, [`${"a".repeat(40)}b`]);
  expect(slow).toThrow("takes too long");
  const before = process.threadCpuUsage();
  for (let time = 0; time < 10; time++) expect(slow).toThrow("takes too long");
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(10 * 50);
  expect(findIn({ kind: "regex", pattern: "b+" }, ["abba"])).toEqual(["bb"]);
});

test("a pattern that is none is refused with its field", () => {
  expect(() => createOutputMatcher({ kind: "regex", pattern: "(" }, 2)).toThrow("until.2.pattern");
});

test("titles and links are no output", () => {
  const pieces = ["\u001b]0;needle\u0007\u001b]8;;http://needle\u001b\\text\u001b]8;;\u001b\\"];
  expect(findIn({ kind: "text", text: "needle" }, pieces)).toEqual([undefined]);
  expect(findIn({ kind: "text", text: "text" }, pieces)).toEqual(["text"]);
});

test.each([
  ["a backspace", "abc\b\bX\r\n", "aXc"],
  ["a carriage return", "50%\r100%", "100%"],
  ["a blank at the end of a prompt", "\u001b[1muser\u001b[0m:~$ ", ":~$ "],
  ["a line that runs over", "x".repeat(100), "x".repeat(100)],
  ["an earlier line that is drawn again", "a 1%\r\nb 1%\r\n\u001b[2Aa 9%", "a 9%\nb 1%"],
  ["the alternate screen", "\u001b[?1049h\u001b[Hone\u001b[24;1H-- INSERT --", "-- INSERT --"],
  ["characters that nobody sees", "o\u200dk", "o\u200dk"],
])("a text is found as it is read: %s", (_, output, text) => {
  expect(findIn({ kind: "text", text }, [output])).toEqual([text]);
  expect(findIn({ kind: "text", text }, Array.from(output)).at(-1)).toEqual(text);
});

test("what was overwritten within a piece is not found", () => {
  expect(findIn({ kind: "text", text: "50%" }, ["50%\r100%"])).toEqual([undefined]);
  expect(findIn({ kind: "text", text: "50%" }, ["50%", "\r100%"])).toEqual(["50%", undefined]);
});
