import type { CellStyle } from "./cell.ts";
import { formatTextDecoration, escapeMarkup, resolveColors, formatHexColor } from "./look.ts";
import { DEFAULT_BACKGROUND, DEFAULT_FOREGROUND } from "./palette.ts";
import type { VisibleScreen } from "./picture.ts";
import type { CellRun } from "./run.ts";
import { BG, FG } from "./xterm-internals.ts";

const PAGE_STYLE = [
  `color:${formatHexColor(DEFAULT_FOREGROUND)}`,
  `background:${formatHexColor(DEFAULT_BACKGROUND)}`,
  "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace",
  "line-height:1.2",
  "padding:8px",
  "margin:0",
  "unicode-bidi:bidi-override",
].join(";");

/** The visible rows as one element that needs nothing else. */
export const renderScreenHtml = ({ rows }: VisibleScreen): string =>
  `<pre dir="ltr" style="${PAGE_STYLE}">${rows.map(renderHtmlRow).join("\n")}</pre>`;

const renderHtmlRow = (runs: readonly CellRun[]): string => runs.map(renderHtmlRun).join("");

function renderHtmlRun({ text, style }: CellRun): string {
  const css = formatCss(style);
  const html = escapeMarkup(text);
  return css === "" ? html : `<span style="${css}">${html}</span>`;
}

function formatCss(style: CellStyle): string {
  const { text, ground } = resolveColors(style);
  const decoration = formatTextDecoration(style);
  const rules = [
    text === formatHexColor(DEFAULT_FOREGROUND) ? "" : `color:${text}`,
    ground === undefined ? "" : `background:${ground}`,
    style.fg & FG.bold ? "font-weight:bold" : "",
    style.bg & BG.dim ? "opacity:.6" : "",
    style.bg & BG.italic ? "font-style:italic" : "",
    style.fg & FG.invisible ? "color:transparent" : "",
    decoration === "" ? "" : `text-decoration:${decoration}`,
  ];
  return rules.filter((rule) => rule !== "").join(";");
}
