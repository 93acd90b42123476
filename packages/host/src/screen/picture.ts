import { createHash } from "node:crypto";
import type { Cursor, ScreenFormat } from "@nacre/contracts";
import type { Emulator } from "./emulator.ts";
import { renderAnsi } from "./picture-ansi.ts";
import { renderCells } from "./picture-cells.ts";
import { renderScreenHtml } from "./picture-html.ts";
import { renderSvg } from "./picture-svg.ts";
import { readRuns, type CellRun, trimTrailingSpaces } from "./run.ts";
import type { ScreenPicture } from "./screen-change.ts";

/** Hexadecimal digits of a digest; 128 bits are more than chance can meet. */
const HASH_DIGITS = 32;

/** The visible rows of a screen, and where its cursor stands. */
export interface VisibleScreen {
  readonly cols: number;
  readonly rows: readonly (readonly CellRun[])[];
  readonly cursor: Cursor;
}

/** Draws what an emulator shows. */
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
  // Behind the last column it waits to wrap; a program that switched that off has it on the last one.
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
