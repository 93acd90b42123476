import { escapeOutput } from "../base/html.ts";
import { formatHexColor } from "../base/palette.ts";
import { createHash } from "node:crypto";
import type { Cursor, ScreenFormat } from "@nacre/contracts";
import { type CellRun, type CellStyle, readRuns, trimTrailingSpaces } from "./cell.ts";
import type { Emulator } from "./emulator.ts";
import {
  DEFAULT_BACKGROUND,
  DEFAULT_FOREGROUND,
  formatColor,
  formatTextDecoration,
  listAttributes,
  resolveColors,
} from "./cell-style.ts";
import { renderAnsi } from "./render-ansi.ts";
import type { ScreenPicture } from "./screen-change.ts";
import { BG, FG } from "./xterm-internals.ts";

const CELL_PIXELS = { width: 9, height: 18 };

/** From the top of a cell to the baseline. */
const BASELINE = 14;

const MARGIN_PIXELS = 8;

/** ASCII is one cell wide in every monospaced font; other characters are placed one by one. */
// oxlint-disable-next-line no-control-regex -- every ASCII character is meant
const ASCII_ONLY = /^[\u0000-\u007f]*$/;

function renderSvg({ cols, rows, cursor }: VisibleScreen): string {
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

/** `textLength` gives each run the width of its cells in any font. */
function renderSvgText(run: CellRun, { column, row }: CellPosition): string[] {
  const looks = formatSvgAttributes(run);
  if (run.text.trim() === "" && formatTextDecoration(run.style) === "") return [];
  const pieces = ASCII_ONLY.test(run.text) ? [run.text] : run.characters;
  const width = run.width / pieces.length;
  return pieces.map((text, at) => {
    const place = `x="${leftPixel(column + at * width)}" y="${topPixel(row) + BASELINE}"`;
    return `<text ${place} textLength="${width * CELL_PIXELS.width}" lengthAdjust="spacingAndGlyphs"${looks}>${escapeOutput(text)}</text>`;
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

const PAGE_STYLE = [
  `color:${formatHexColor(DEFAULT_FOREGROUND)}`,
  `background:${formatHexColor(DEFAULT_BACKGROUND)}`,
  "font-family:ui-monospace,Menlo,Consolas,'DejaVu Sans Mono',monospace",
  "line-height:1.2",
  "padding:8px",
  "margin:0",
  "unicode-bidi:bidi-override",
].join(";");

/** One self-contained element. */
const renderScreenHtml = ({ rows }: VisibleScreen): string =>
  `<pre dir="ltr" style="${PAGE_STYLE}">${rows.map(renderHtmlRow).join("\n")}</pre>`;

const renderHtmlRow = (runs: readonly CellRun[]): string => runs.map(renderHtmlRun).join("");

function renderHtmlRun({ text, style }: CellRun): string {
  const css = formatCss(style);
  const html = escapeOutput(text);
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

/** JSON: an array of runs per row, without trailing blanks. */
const renderCells = ({ rows }: VisibleScreen): string =>
  JSON.stringify(
    rows.map((runs) =>
      runs.map(({ text, width, style }) => {
        const attributes = listAttributes(style);
        return {
          text,
          width,
          fg: formatColor(style.fg),
          bg: formatColor(style.bg),
          attributes: attributes.length > 0 ? attributes : undefined,
        };
      }),
    ),
  );

/** 128 bits: no accidental collisions. */
const HASH_DIGITS = 32;

interface VisibleScreen {
  readonly cols: number;
  readonly rows: readonly (readonly CellRun[])[];
  readonly cursor: Cursor;
}

export function renderScreen(
  emulator: Emulator,
  { sequence, format }: { sequence: number; format: ScreenFormat },
): ScreenPicture {
  const { size } = emulator;
  const { buffers } = emulator.core._bufferService;
  const visible = readVisibleScreen(emulator);
  const alternate = buffers.active === buffers.alt;
  const content = renderFormat(emulator, visible, format);
  return {
    sequence,
    size,
    text: visible.rows.map(joinRuns).join("\n"),
    ...(content === undefined ? {} : { content }),
    cursor: visible.cursor,
    alternate,
    isFull: buffers.normal.lines.length >= emulator.lines,
    ...(emulator.budget.isExceeded ? { degraded: true } : {}),
    hash: hashContent([
      size.cols,
      size.rows,
      alternate,
      visible.cursor,
      visible.rows.map(describeRuns),
    ]),
  };
}

function readVisibleScreen({ core, size }: Emulator): VisibleScreen {
  const { cols, rows, buffers } = core._bufferService;
  const { lines, ybase, x, y } = buffers.active;
  const shown = Array.from({ length: rows }, (_, row) => {
    const line = lines.get(ybase + row);
    return line ? readRuns(line, cols) : [];
  });
  // In pending wrap the cursor is past the last column; without DECAWM it is on it.
  const { wraparound } = core.coreService.decPrivateModes;
  const cursor = {
    row: y,
    column: Math.min(x, wraparound ? size.cols : size.cols - 1),
    visible: !core.coreService.isCursorHidden,
  };
  return { cols, rows: shown, cursor };
}

function renderFormat(
  emulator: Emulator,
  visible: VisibleScreen,
  format: ScreenFormat,
): string | undefined {
  switch (format) {
    case "text":
      return undefined;
    case "ansi":
      return renderAnsi(emulator);
    case "cells":
      return renderCells(visible);
    case "html":
      return renderScreenHtml(visible);
    case "svg":
      return renderSvg(visible);
  }
}

const joinRuns = (runs: readonly CellRun[]): string =>
  trimTrailingSpaces(runs.map(({ text }) => text).join(""));

const describeRuns = (runs: readonly CellRun[]): unknown =>
  runs.map(({ text, width, style }) => [text, width, Object.values(style)]);

const hashContent = (shown: unknown): string =>
  createHash("sha256").update(JSON.stringify(shown)).digest("hex").slice(0, HASH_DIGITS);
