import { expect, test } from "vitest";
import { plainText } from "./plain-text.ts";

test.each([
  ["plain", "plain"],
  ["\u001b[31mred\u001b[0m", "red"],
  ["\u001b]0;title\u0007shown", "shown"],
  ["\u001b]8;;http://x\u001b\\link\u001b]8;;\u001b\\", "link"],
  ["a\r\nb\r\r\nc", "a\nb\nc"],
  ["10%\r20%", "10%\n20%"],
  ["echo hi\r\n\u001b[?2004l\rhi", "echo hi\nhi"],
  ["pay\u200bload \u202eevil\u202c \u2066x\u2069\ufeff", "payload evil x"],
  ["tag\u{e0041}\u{e007f}s", "tags"],
  ["tab\tkept\nline", "tab\tkept\nline"],
  ["bell\u0007 null\u0000", "bell null"],
  ["cut \u001b[3", "cut "],
])("%j becomes %j", (output, text) => {
  expect(plainText(Buffer.from(output))).toBe(text);
});
