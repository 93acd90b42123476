import { formatTextDecoration, escapeMarkup, resolveColors, formatHexColor } from "./look.ts";
import { DEFAULT_BACKGROUND, DEFAULT_FOREGROUND } from "./palette.ts";
import type { VisibleScreen } from "./picture.ts";
import type { CellRun } from "./run.ts";
import { BG, FG } from "./xterm-internals.ts";

/** Of a cell, in pixels. */
const CELL_PIXELS = { width: 9, height: 18 };

/** From the top of a cell to the line its letters stand on. */
const BASELINE = 14;

const MARGIN_PIXELS = 8;

/** Letters of one byte are as wide as their cell in every monospaced font; others are placed one by one. */
// oxlint-disable-next-line no-control-regex -- every ASCII character is meant
const ASCII_ONLY = /^[\u0000-\u007f]*$/;

/** The visible rows as one picture on a grid of cells. */
export function renderSvg({ cols, rows, cursor }: VisibleScreen): string {
  const width = cols * CELL_PIXELS.width + 2 * MARGIN_PIXELS;
  const height = rows.length * CELL_PIXELS.height + 2 * MARGIN_PIXELS;
  const parts = rows.flatMap((runs, row) => renderSvgRow(runs, row));
  if (cursor.visible) parts.push(renderSvgCursor(Math.min(cursor.column, cols - 1), cursor.row));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${formatHexColor(DEFAULT_BACKGROUND)}"/>`,
    `<g font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="15" fill="${formatHexColor(DEFAULT_FOREGROUND)}" xml:space="preserve" style="white-space:pre">`,
    ...parts,
    "</g>",
    "</svg>",
  ].join("\n");
}

function renderSvgRow(runs: readonly CellRun[], row: number): string[] {
  const parts: string[] = [];
  let column = 0;
  for (const run of runs) {
    parts.push(...renderSvgBackground(run, { column, row }));
    if ((run.style.fg & FG.invisible) === 0) parts.push(...renderSvgText(run, { column, row }));
    column += run.width;
  }
  return parts;
}

interface CellPosition {
  readonly column: number;
  readonly row: number;
}

function renderSvgBackground({ style, width }: CellRun, { column, row }: CellPosition): string[] {
  const { ground } = resolveColors(style);
  if (ground === undefined) return [];
  const extent = `width="${width * CELL_PIXELS.width}" height="${CELL_PIXELS.height}"`;
  return [`<rect x="${leftPixel(column)}" y="${topPixel(row)}" ${extent} fill="${ground}"/>`];
}

/** Each piece is given the width of its cells, whatever font draws it. */
function renderSvgText(run: CellRun, { column, row }: CellPosition): string[] {
  const looks = formatSvgAttributes(run);
  if (run.text.trim() === "" && formatTextDecoration(run.style) === "") return [];
  const pieces = ASCII_ONLY.test(run.text) ? [run.text] : run.characters;
  const width = run.width / pieces.length;
  return pieces.map((text, at) => {
    const place = `x="${leftPixel(column + at * width)}" y="${topPixel(row) + BASELINE}"`;
    return `<text ${place} textLength="${width * CELL_PIXELS.width}" lengthAdjust="spacingAndGlyphs"${looks}>${escapeMarkup(text)}</text>`;
  });
}

function formatSvgAttributes({ style }: CellRun): string {
  const { text } = resolveColors(style);
  const decoration = formatTextDecoration(style);
  return [
    text === formatHexColor(DEFAULT_FOREGROUND) ? "" : ` fill="${text}"`,
    style.fg & FG.bold ? ' font-weight="bold"' : "",
    style.bg & BG.dim ? ' opacity=".6"' : "",
    style.bg & BG.italic ? ' font-style="italic"' : "",
    decoration === "" ? "" : ` text-decoration="${decoration}"`,
  ].join("");
}

function renderSvgCursor(column: number, row: number): string {
  const extent = `width="${CELL_PIXELS.width}" height="${CELL_PIXELS.height}"`;
  return `<rect x="${leftPixel(column)}" y="${topPixel(row)}" ${extent} fill="none" stroke="${formatHexColor(DEFAULT_FOREGROUND)}"/>`;
}

const leftPixel = (column: number): number => MARGIN_PIXELS + column * CELL_PIXELS.width;
const topPixel = (row: number): number => MARGIN_PIXELS + row * CELL_PIXELS.height;
