import type xterm from "@xterm/headless";
import type { Size } from "@nacre/contracts";
import { BLANK_PEN, coreOf, type LineList, type ScreenBuffer } from "./xterm-internals.ts";

/** Resizes a terminal without what the pinned version does wrong at it. */
export function resizeTerminal(terminal: xterm.Terminal, { cols, rows }: Size): void {
  const { _bufferService } = coreOf(terminal);
  const { normal, alt } = _bufferService.buffers;
  unrollLineList(normal.lines);
  terminal.resize(cols, rows);
  unrollLineList(normal.lines);
  // An unused alternate screen would keep room for more lines than it has rows, and scroll into it.
  if (alt.lines.length === 0) alt.lines.maxLength = rows;
  for (const buffer of [normal, alt]) fillRows(buffer, rows);
}

/** Some ways to a smaller size leave a screen that reaches below the last line. */
function fillRows(buffer: ScreenBuffer, rows: number): void {
  const { lines } = buffer;
  if (lines.length === 0) return;
  const wanted = Math.min(buffer.ybase + rows, lines.maxLength);
  while (lines.length < wanted) lines.push(buffer.getBlankLine(BLANK_PEN));
  buffer.ybase = Math.min(buffer.ybase, lines.length - rows);
  buffer.ydisp = buffer.ybase;
}

/** Lines that are pushed out at the top by a resize come back at the bottom of a list that begins elsewhere. */
function unrollLineList(lines: LineList): void {
  const all = Array.from({ length: lines.maxLength }, (_, at) =>
    at < lines.length ? lines.get(at) : undefined,
  );
  lines._array = all;
  lines._startIndex = 0;
}
