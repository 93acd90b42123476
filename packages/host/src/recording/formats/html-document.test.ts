import { expect, test } from "vitest";
import { renderHtmlDocument } from "./html-document.ts";
import type { RenderedLine } from "../../base/text/rendered-line.ts";
import type { TextStyle } from "../../base/text/text-style.ts";
import { toBytes } from "../../base/text/testing/rendering.ts";
import { TextRenderer } from "../../base/text/text-renderer.ts";

const documentOf = (lines: Iterable<RenderedLine>, title = "A terminal"): string =>
  [...renderHtmlDocument(lines, { title })].join("");

const bodyOf = (lines: Iterable<RenderedLine>): string =>
  /<pre>([^]*)<\/pre>/.exec(documentOf(lines))?.[1] ?? "";

const line = (text: string, carry = 0): RenderedLine => ({ text, carry, first: 1, last: 1 });

function linesOf(output: string): RenderedLine[] {
  const renderer = new TextRenderer({ size: { cols: 80, rows: 24 }, styled: true });
  renderer.write(toBytes(output), 1);
  renderer.end();
  return renderer.takeFinal();
}

test("a document needs nothing from elsewhere and may use nothing from there", () => {
  const html = documentOf([line("x")]);
  expect(html).toContain(
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
  );
  expect(html).not.toMatch(/<script|<link|<img|https?:|url\(|@import/);
  expect(html).toMatch(/^<!doctype html>\n<html lang="en"/);
  expect(html).toMatch(/prefers-color-scheme:\s*light/);
});

test("lines are lines, and pieces of one line are one again", () => {
  expect(bodyOf([line("one"), line("two"), line("wo and more", 2), line("three")])).toBe(
    "one\ntwo and more\nthree",
  );
});

test("nothing that was written can become markup", () => {
  expect(bodyOf([line(`<b a="x" b='y'>&amp;`)])).toBe(
    "&lt;b a=&quot;x&quot; b=&#39;y&#39;&gt;&amp;amp;",
  );
  const html = documentOf([], `</title><script>alert("1")</script>`);
  expect(html).not.toContain("<script");
  expect([...renderHtmlDocument([], { title: "t", details: ["<i>"] })].join("")).toContain(
    "<li>&lt;i&gt;",
  );
});

test("styles become classes, and colours beyond the first 16 inline styles", () => {
  const output =
    "\x1b[1;31mE\x1b[0m \x1b[2;3;4;9mx\x1b[0m \x1b[38;5;208mo\x1b[48;2;1;2;3mr\x1b[0m \x1b[44mb";
  expect(bodyOf(linesOf(output))).toBe(
    '<span class="b f1">E</span> <span class="d i u s us">x</span> ' +
      '<span style="color:#ff8700">o</span><span class="on" style="color:#ff8700;background:#010203">r</span> ' +
      '<span class="on g4">b</span>',
  );
});

test("inverse text changes places with its ground", () => {
  expect(bodyOf(linesOf("\x1b[7ma\x1b[31mb\x1b[42mc"))).toBe(
    '<span class="fp bi">a</span><span class="fp h1">b</span><span class="on f2 g1">c</span>',
  );
});

test("a colour is never more than a colour", () => {
  const style: TextStyle = { fg: `red"><script>` };
  const html = documentOf([{ ...line("x"), runs: [{ text: "x", style }] }]);
  expect(html).toContain('<span style="color:inherit">x</span>');
});
