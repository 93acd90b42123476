import { decorationOf, escapeMarkup, seenColors, spell } from "./look.ts";
import { BACKGROUND, FOREGROUND } from "./palette.ts";
import type { VisibleScreen } from "./picture.ts";
import type { Run } from "./run.ts";
import { BG, FG } from "./xterm-internals.ts";

/** Of a cell, in pixels. */
const CELL = { width: 9, height: 18 };

/** From the top of a cell to the line its letters stand on. */
const BASELINE = 14;

const MARGIN = 8;

/** Letters of one byte are as wide as their cell in every monospaced font; others are placed one by one. */
// oxlint-disable-next-line no-control-regex -- every ASCII character is meant
const PLAIN = /^[\u0000-\u007f]*$/;

/** The visible rows as one picture on a grid of cells. */
export function renderSvg({ cols, rows, cursor }: VisibleScreen): string {
  const width = cols * CELL.width + 2 * MARGIN;
  const height = rows.length * CELL.height + 2 * MARGIN;
  const parts = rows.flatMap((runs, row) => renderRow(runs, row));
  if (cursor.visible) parts.push(renderCursor(Math.min(cursor.column, cols - 1), cursor.row));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`,
    `<rect width="${width}" height="${height}" fill="${spell(BACKGROUND)}"/>`,
    `<g font-family="ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="15" fill="${spell(FOREGROUND)}" xml:space="preserve" style="white-space:pre">`,
    ...parts,
    "</g>",
    "</svg>",
  ].join("\n");
}

function renderRow(runs: readonly Run[], row: number): string[] {
  const parts: string[] = [];
  let column = 0;
  for (const run of runs) {
    parts.push(...renderGround(run, { column, row }));
    if ((run.style.fg & FG.invisible) === 0) parts.push(...renderText(run, { column, row }));
    column += run.width;
  }
  return parts;
}

interface Place {
  readonly column: number;
  readonly row: number;
}

function renderGround({ style, width }: Run, { column, row }: Place): string[] {
  const { ground } = seenColors(style);
  if (ground === undefined) return [];
  const extent = `width="${width * CELL.width}" height="${CELL.height}"`;
  return [`<rect x="${left(column)}" y="${top(row)}" ${extent} fill="${ground}"/>`];
}

/** Each piece is given the width of its cells, whatever font draws it. */
function renderText(run: Run, { column, row }: Place): string[] {
  const looks = looksOf(run);
  if (run.text.trim() === "" && decorationOf(run.style) === "") return [];
  const pieces = PLAIN.test(run.text) ? [run.text] : run.letters;
  const width = run.width / pieces.length;
  return pieces.map((text, at) => {
    const place = `x="${left(column + at * width)}" y="${top(row) + BASELINE}"`;
    return `<text ${place} textLength="${width * CELL.width}" lengthAdjust="spacingAndGlyphs"${looks}>${escapeMarkup(text)}</text>`;
  });
}

function looksOf({ style }: Run): string {
  const { text } = seenColors(style);
  const decoration = decorationOf(style);
  return [
    text === spell(FOREGROUND) ? "" : ` fill="${text}"`,
    style.fg & FG.bold ? ' font-weight="bold"' : "",
    style.bg & BG.dim ? ' opacity=".6"' : "",
    style.bg & BG.italic ? ' font-style="italic"' : "",
    decoration === "" ? "" : ` text-decoration="${decoration}"`,
  ].join("");
}

function renderCursor(column: number, row: number): string {
  const extent = `width="${CELL.width}" height="${CELL.height}"`;
  return `<rect x="${left(column)}" y="${top(row)}" ${extent} fill="none" stroke="${spell(FOREGROUND)}"/>`;
}

const left = (column: number): number => MARGIN + column * CELL.width;
const top = (row: number): number => MARGIN + row * CELL.height;
