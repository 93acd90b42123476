import { expect, test } from "vitest";
import { escapeHtml, escapeOutput } from "./html.ts";

test("marks of HTML become text, in elements and in attributes", () => {
  expect(escapeHtml(`<a href="x" title='y'>&amp;</a>`)).toBe(
    "&lt;a href=&quot;x&quot; title=&#39;y&#39;&gt;&amp;amp;&lt;/a&gt;",
  );
  expect(escapeHtml("line\nline")).toBe("line\nline");
});

test("output cannot hide, reorder or break what is shown", () => {
  const unsafe = Array.from("\u0000\u001b\u0085\u200f\u202e\u2028\u2066\ud800\uffff");
  expect(unsafe.map((text) => escapeOutput(`a${text}<`))).toEqual(unsafe.map(() => "a\ufffd&lt;"));
});
