import { expect, test } from "vitest";
import { cutBytes, cutText, MAX_EVENT_BYTES } from "./format-text.ts";

const utf8 = new TextEncoder();
const euros = "€".repeat(MAX_EVENT_BYTES);
const smileys = `a${"😀".repeat(MAX_EVENT_BYTES)}`;

test.each([
  ["nothing", ""],
  ["a little", "abc"],
  ["as much as fits", "a".repeat(MAX_EVENT_BYTES)],
  ["one byte more", "a".repeat(MAX_EVENT_BYTES + 1)],
  ["characters of three bytes", euros],
  ["surrogate pairs", smileys],
])("%s is cut between characters, as text and as bytes alike", (_name, text) => {
  const texts = [...cutText(text)];
  const bytes = [...cutBytes(utf8.encode(text))];
  expect(texts.join("")).toBe(text);
  expect(texts.map((part) => utf8.encode(part))).toEqual(bytes);
  expect(bytes.every((part) => part.length > 0 && part.length <= MAX_EVENT_BYTES)).toBe(true);
});

test("each part is as long as it can be", () => {
  expect([...cutText(euros)].slice(0, -1).every((part) => part.length === 21_845)).toBe(true);
});

test("a part does not keep the memory of the whole alive", () => {
  const [first, last] = [...cutBytes(new Uint8Array(MAX_EVENT_BYTES + 1))];
  expect(first?.buffer.byteLength).toBe(MAX_EVENT_BYTES);
  expect(last?.buffer.byteLength).toBe(1);
});
