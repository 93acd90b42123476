import { HTML_STYLES, toHtmlColor } from "./html-styles.ts";
import type { RenderedLine } from "./rendered-line.ts";
import { PLAIN_TEXT_STYLE, sliceRuns } from "./style.ts";
import type { Color, TextStyle, StyledRun } from "./style.ts";

/** What an HTML document says besides its lines. */
export interface HtmlDocumentOptions {
  readonly title: string;
  /** Short facts that are shown below the title. */
  readonly details?: readonly string[] | undefined;
}

/** Nothing but what is in the document itself can ever take part in it. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Controls, line separators, lone surrogates, and characters that show text in another order than it has. */
const HARMFUL = /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** A self-contained HTML document of lines, piece by piece; lines that were cut are whole again. */
export function* renderHtmlDocument(
  lines: Iterable<RenderedLine>,
  options: HtmlDocumentOptions,
): Generator<string, void, undefined> {
  yield renderHead(options);
  let isFirst = true;
  for (const { text, carry, runs } of lines) {
    const news = runs ?? [{ text, style: PLAIN_TEXT_STYLE }];
    const html = sliceRuns(news, carry, text.length).map(renderRun).join("");
    // A piece with a carry goes on in the line that the piece before it left open.
    yield isFirst || carry > 0 ? html : `\n${html}`;
    isFirst = false;
  }
  yield "</pre>\n</main>\n</body>\n</html>\n";
}

/** Text that is only text wherever it stands in a document. */
export function escapeHtml(text: string): string {
  return text
    .replace(HARMFUL, "\ufffd")
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
}

function renderHead({ title, details = [] }: HtmlDocumentOptions): string {
  const facts = details.map((detail) => `<li>${escapeHtml(detail)}</li>`).join("");
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeHtml(title)}</title>
<style>
${HTML_STYLES}</style>
</head>
<body>
<header>
<h1>${escapeHtml(title)}</h1>${facts && `\n<ul>${facts}</ul>`}
</header>
<main>
<pre>`;
}

function renderRun({ text, style }: StyledRun): string {
  const attributes = toAttributes(style);
  const html = escapeHtml(text);
  return attributes === "" ? html : `<span${attributes}>${html}</span>`;
}

function toAttributes(style: TextStyle): string {
  const classes: string[] = [];
  const inline: string[] = [];
  if (style.bold) classes.push("b");
  if (style.dim) classes.push("d");
  if (style.italic) classes.push("i");
  if (style.underline) classes.push("u");
  if (style.strike) classes.push("s");
  if (style.underline && style.strike) classes.push("us");
  const [fg, bg] = toColors(style);
  if (bg !== undefined && fg !== "page" && bg !== "ink") classes.push("on");
  if (fg === "page") classes.push("fp");
  else if (typeof fg === "number" && fg < 16) classes.push(`f${fg}`);
  else if (fg !== undefined) inline.push(`color:${toHtmlColor(fg)}`);
  if (bg === "ink") classes.push("bi");
  else if (typeof bg === "number" && bg < 16) classes.push(`${fg === "page" ? "h" : "g"}${bg}`);
  else if (bg !== undefined) inline.push(`background:${toHtmlColor(bg)}`);
  const classAttribute = classes.length > 0 ? ` class="${classes.join(" ")}"` : "";
  return inline.length > 0 ? `${classAttribute} style="${inline.join(";")}"` : classAttribute;
}

/** The colours that are really seen; `page` and `ink` are what a page without any has. */
function toColors({ fg, bg, inverse }: TextStyle): [Color | undefined, Color | undefined] {
  return inverse ? [bg ?? "page", fg ?? "ink"] : [fg, bg];
}
