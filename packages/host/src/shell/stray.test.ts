import { expect, test } from "vitest";
import { classifyStray } from "./unfinished-sequence.ts";
import { bytesOf, utf8 } from "./testing/output.ts";

test.each([
  ["\n", "ignored"],
  ["\x7f", "ignored"],
  ["\x9b", "ignored"],
  ["\xff", "ignored"],
  ["\xe2\x82a", "ignored"],
  ["\x18", "aborts"],
  ["\x1a", "aborts"],
  ["\x1b", "interrupts"],
  ["\xc2\x9b", "interrupts"],
  ["\xc2\xa0", "letter"],
  [utf8("é"), "letter"],
  [utf8("漢"), "letter"],
  ["\xc2", "unknown"],
  ["\xe2\x82", "unknown"],
])("%j inside a control: %s", (text, stray) => {
  const bytes = bytesOf(text);
  expect(classifyStray(bytes, 0, bytes.byteLength)).toBe(stray);
});
