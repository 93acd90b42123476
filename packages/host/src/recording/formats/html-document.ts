import { escapeOutput } from "../../base/html.ts";
import { formatHexColor, paletteColor } from "../../base/palette.ts";
import type { RenderedLine } from "../../base/text/rendered-line.ts";
import {
  type Color,
  PLAIN_TEXT_STYLE,
  sliceRuns,
  type StyledRun,
  type TextStyle,
} from "../../base/text/text-style.ts";

/** The 16 ANSI colours as text on a dark page. */
const DARK_COLORS = [
  "#4b5261",
  "#f0737a",
  "#8fce6a",
  "#e3bd55",
  "#6fb1ff",
  "#cc94ee",
  "#5ccfd6",
  "#c5ccd6",
  "#808999",
  "#ff9096",
  "#b4e68f",
  "#ffd978",
  "#97c9ff",
  "#dfb3f8",
  "#8de7eb",
  "#ffffff",
];

/** As text on a light page. */
const LIGHT_COLORS = [
  "#20242c",
  "#b3261e",
  "#2a7a1c",
  "#866000",
  "#1a5fb4",
  "#8a2fa6",
  "#006f78",
  "#565e6b",
  "#68707d",
  "#cc332b",
  "#348a22",
  "#946a00",
  "#236fce",
  "#a03dbf",
  "#007f88",
  "#2b303a",
];

/** As background, dark enough for the dark page's text colours. */
const GROUND_COLORS = [
  "#2a2f3a",
  "#a3262e",
  "#2f7d32",
  "#8a6a00",
  "#1f5fb0",
  "#7b3aa0",
  "#0b7480",
  "#b9c0ca",
  "#5a6270",
  "#c8373f",
  "#3f9a42",
  "#b08900",
  "#3a7fd6",
  "#9b55c4",
  "#1795a3",
  "#f2f4f7",
];

/** Black text is only ever meant for a lighter background. */
const BLACK_ON_GROUND = "#0b0d10";

const variables = (colors: readonly string[]): string =>
  colors.map((color, index) => `--c${index}:${color}`).join(";");

/** Text, background with coloured text, and background with text in the page's colour. */
const colorClasses = GROUND_COLORS.map(
  (ground, index) =>
    `.f${index}{color:var(--c${index})}.g${index}{background:${ground}}.h${index}{background:var(--c${index})}`,
).join("\n");

/** Text on a background of its own has the colours of the dark page in light mode, too. */
const HTML_STYLES = `:root{color-scheme:dark;--quiet:#8b94a3;--line:#262c36}
:root,.on{--page:#11141a;--ink:#d9dee6;${variables(DARK_COLORS)}}
.on{--c0:${BLACK_ON_GROUND}}
@media (prefers-color-scheme:light){:root{color-scheme:light;--page:#fdfdfc;--quiet:#626a76;--line:#e3e5e8;--ink:#1f242c;${variables(LIGHT_COLORS)}}}
*{box-sizing:border-box}
body{margin:0;background:var(--page);color:var(--ink);font:14px/1.45 ui-monospace,"SF Mono",SFMono-Regular,Menlo,Consolas,"Liberation Mono","DejaVu Sans Mono",monospace}
header{padding:1.5rem clamp(1rem,4vw,3rem) 1rem;border-bottom:1px solid var(--line)}
h1{margin:0;font:600 1.25rem/1.3 system-ui,sans-serif;overflow-wrap:anywhere}
ul{margin:.4rem 0 0;padding:0;list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.5rem;color:var(--quiet);font:.85rem/1.4 system-ui,sans-serif}
main{padding:1.25rem clamp(1rem,4vw,3rem) 3rem}
pre{margin:0;font:inherit;white-space:pre-wrap;overflow-wrap:anywhere;font-variant-ligatures:none}
.b{font-weight:700}
.d{opacity:.65}
.i{font-style:italic}
.u{text-decoration:underline}
.s{text-decoration:line-through}
.us{text-decoration:underline line-through}
.on{color:var(--ink)}
.fp{color:var(--page)}
.bi{background:var(--ink)}
${colorClasses}
@media print{header,main{padding-inline:0}}
`;

/** Colours from 16 on are the same in every terminal. */
function toHtmlColor(color: Color): string {
  if (typeof color === "string") return /^#[0-9a-f]{6}$/.test(color) ? color : "inherit";
  if (color < 16) return `var(--c${color})`;
  return formatHexColor(paletteColor(color));
}

export interface HtmlDocumentOptions {
  readonly title: string;
  /** Shown below the title. */
  readonly details?: readonly string[] | undefined;
}

/** The document loads nothing from elsewhere. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'";

/** Streams a self-contained document; rejoins lines that were cut. */
export function* renderHtmlDocument(
  lines: Iterable<RenderedLine>,
  options: HtmlDocumentOptions,
): Generator<string, void, undefined> {
  yield renderHead(options);
  let isFirst = true;
  for (const { text, carry, runs } of lines) {
    const news = runs ?? [{ text, style: PLAIN_TEXT_STYLE }];
    const html = sliceRuns(news, carry, text.length).map(renderRun).join("");
    // A line with a carry continues the previous one.
    yield isFirst || carry > 0 ? html : `\n${html}`;
    isFirst = false;
  }
  yield "</pre>\n</main>\n</body>\n</html>\n";
}

function renderHead({ title, details = [] }: HtmlDocumentOptions): string {
  const facts = details.map((detail) => `<li>${escapeOutput(detail)}</li>`).join("");
  return `<!doctype html>
<html lang="en" dir="ltr">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${escapeOutput(title)}</title>
<style>
${HTML_STYLES}</style>
</head>
<body>
<header>
<h1>${escapeOutput(title)}</h1>${facts && `\n<ul>${facts}</ul>`}
</header>
<main>
<pre>`;
}

function renderRun({ text, style }: StyledRun): string {
  const attributes = toAttributes(style);
  const html = escapeOutput(text);
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

/** Effective colours after inverse; `page` and `ink` are the defaults. */
function toColors({ fg, bg, inverse }: TextStyle): [Color | undefined, Color | undefined] {
  return inverse ? [bg ?? "page", fg ?? "ink"] : [fg, bg];
}
