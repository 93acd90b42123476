import type { Style } from "./cell.ts";
import { decorationOf, escapeMarkup, seenColors, spell } from "./look.ts";
import { BACKGROUND, FOREGROUND } from "./palette.ts";
import type { VisibleScreen } from "./picture.ts";
import type { Run } from "./run.ts";
import { BG, FG } from "./xterm-internals.ts";

const PAGE = [
  `color:${spell(FOREGROUND)}`,
  `background:${spell(BACKGROUND)}`,
  "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace",
  "line-height:1.2",
  "padding:8px",
  "margin:0",
  "unicode-bidi:bidi-override",
].join(";");

/** The visible rows as one element that needs nothing else. */
export const renderHtml = ({ rows }: VisibleScreen): string =>
  `<pre dir="ltr" style="${PAGE}">${rows.map(renderRow).join("\n")}</pre>`;

const renderRow = (runs: readonly Run[]): string => runs.map(renderRun).join("");

function renderRun({ text, style }: Run): string {
  const css = cssOf(style);
  const html = escapeMarkup(text);
  return css === "" ? html : `<span style="${css}">${html}</span>`;
}

function cssOf(style: Style): string {
  const { text, ground } = seenColors(style);
  const decoration = decorationOf(style);
  const rules = [
    text === spell(FOREGROUND) ? "" : `color:${text}`,
    ground === undefined ? "" : `background:${ground}`,
    style.fg & FG.bold ? "font-weight:bold" : "",
    style.bg & BG.dim ? "opacity:.6" : "",
    style.bg & BG.italic ? "font-style:italic" : "",
    style.fg & FG.invisible ? "color:transparent" : "",
    decoration === "" ? "" : `text-decoration:${decoration}`,
  ];
  return rules.filter((rule) => rule !== "").join(";");
}
