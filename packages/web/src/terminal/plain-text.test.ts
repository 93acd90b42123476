import { expect, test } from "vitest";
import { plainText } from "./timeline.tsx";

test.each([
  ["plain", "plain"],
  ["\u001b[31mred\u001b[m and \u001b[1;38;2;1;2;3mmore\u001b[0m", "red and more"],
  ["\u001b]2;title\u0007text\u001b]8;;http://a.example\u001b\\link\u001b]8;;\u001b\\", "textlink"],
  ["one\r\ntwo\r\n", "one\ntwo\n"],
  ["10 %\r50 %\r100 %\r\ndone", "100 %\ndone"],
  ["\u001bP$qm\u001b\\after", "after"],
  ["\u0000\u0007bell\u007f\ttab", "bell\ttab"],
])("%j is read as %j", (output, text) => {
  expect(plainText(output)).toBe(text);
});
