// The normal or the alternate screen, written down and read back.
import type { Size } from "@nacre/contracts";
import type { ByteReader } from "./byte-reader.ts";
import type { ByteWriter } from "./byte-writer.ts";
import { requireInRange } from "./snapshot.ts";
import { readCharset, writeCharset } from "./snapshot-state.ts";
import {
  type Attributes,
  BG,
  BLANK_PEN,
  type BufferLine,
  CELL_NUMBERS,
  CONTENT,
  EMPTY_CONTENT,
  type ScreenBuffer,
} from "./xterm-internals.ts";

const CELL_BYTES = CELL_NUMBERS * 4;

/** Lines of the alternate screen keep the cells of a wider one before. */
const MAX_LINE_CELLS = 1000;

const WRAPPED = 1;
const COMBINED = 2;
const EXTENDED = 4;

/** Writes a buffer with its lines, cursor, margins, tabs and saved cursor. */
export function writeBuffer(writer: ByteWriter, buffer: ScreenBuffer): void {
  const { savedCurAttrData: saved, lines } = buffer;
  for (const value of [buffer.x, buffer.y, buffer.ybase]) writer.u16(value);
  for (const value of [buffer.scrollTop, buffer.scrollBottom]) writer.u16(value);
  writer.u16(buffer.savedX);
  writer.u32(buffer.savedY);
  writer.i32(saved.fg);
  writer.i32(saved.bg);
  writeCharset(writer, buffer.savedCharset);
  const tabs = Object.keys(buffer.tabs).map(Number);
  writer.u16(tabs.length);
  for (const tab of tabs) writer.u16(tab);
  writer.u16(lines.length);
  for (let at = 0; at < lines.length; at++) writeLine(writer, lineAt(buffer, at));
}

/** Reads what `writeBuffer` wrote into a buffer of a fresh emulator. */
export function readBuffer(
  reader: ByteReader,
  buffer: ScreenBuffer,
  { size, pen }: { size: Size; pen: Attributes },
): void {
  const { savedCurAttrData: saved, lines } = buffer;
  const { cols, rows } = size;
  buffer.x = requireInRange(reader.u16(), 0, cols, "as the cursor's column");
  buffer.y = requireInRange(reader.u16(), 0, rows - 1, "as the cursor's row");
  buffer.ybase = requireInRange(reader.u16(), 0, lines.maxLength - rows, "lines above the screen");
  buffer.ydisp = buffer.ybase;
  buffer.scrollTop = requireInRange(reader.u16(), 0, rows - 1, "as the upper margin");
  buffer.scrollBottom = requireInRange(
    reader.u16(),
    buffer.scrollTop,
    rows - 1,
    "as the lower margin",
  );
  buffer.savedX = requireInRange(reader.u16(), 0, MAX_LINE_CELLS, "as the saved column");
  buffer.savedY = reader.u32();
  saved.fg = reader.i32();
  saved.bg = reader.i32();
  buffer.savedCharset = readCharset(reader);
  buffer.tabs = {};
  for (let left = reader.u16(); left > 0; left--) buffer.tabs[reader.u16()] = true;
  const count = requireInRange(reader.u16(), 0, lines.maxLength, "lines");
  if (count > 0) requireInRange(count, buffer.ybase + rows, lines.maxLength, "lines");
  lines.length = 0;
  for (let at = 0; at < count; at++) lines.push(readLine(reader, { buffer, cols, pen }));
}

function lineAt(buffer: ScreenBuffer, at: number): BufferLine {
  const line = buffer.lines.get(at);
  if (!line) throw new Error(`line ${at} of ${buffer.lines.length} is missing`);
  return line;
}

function writeLine(writer: ByteWriter, line: BufferLine): void {
  const cells = usedCells(line);
  const combined = Object.entries(line._combined);
  const extended = Object.entries(line._extendedAttrs).filter(([at]) => hasExtended(line, at));
  const flags =
    (line.isWrapped ? WRAPPED : 0) |
    (combined.length > 0 ? COMBINED : 0) |
    (extended.length > 0 ? EXTENDED : 0);
  writer.u16(line.length);
  writer.u16(cells);
  writer.u8(flags);
  if (combined.length > 0) writer.u16(combined.length);
  for (const [at, text] of combined) {
    writer.u16(Number(at));
    writer.sized(new TextEncoder().encode(text));
  }
  if (extended.length > 0) writer.u16(extended.length);
  for (const [at, attributes] of extended) {
    writer.u16(Number(at));
    writer.i32(attributes?.ext ?? 0);
  }
  const { buffer, byteOffset } = line._data;
  writer.raw(new Uint8Array(buffer, byteOffset, cells * CELL_BYTES));
}

const hasExtended = (line: BufferLine, at: string): boolean =>
  ((line._data[Number(at) * CELL_NUMBERS + 2] ?? 0) & BG.extended) !== 0;

/** The cells up to the last one that somebody wrote to. */
function usedCells({ _data: data, length }: BufferLine): number {
  for (let cell = length; cell > 0; cell--) {
    const at = (cell - 1) * CELL_NUMBERS;
    if (data[at] !== EMPTY_CONTENT || data[at + 1] !== 0 || data[at + 2] !== 0) return cell;
  }
  return 0;
}

function readLine(
  reader: ByteReader,
  { buffer, cols, pen }: { buffer: ScreenBuffer; cols: number; pen: Attributes },
): BufferLine {
  const length = requireInRange(reader.u16(), cols, MAX_LINE_CELLS, "cells in a line");
  const cells = requireInRange(reader.u16(), 0, length, "cells in a line");
  const flags = reader.u8();
  const line = buffer.getBlankLine(BLANK_PEN, (flags & WRAPPED) !== 0);
  if (length !== line.length) line.resize(length, buffer.getNullCell());
  for (let left = flags & COMBINED ? reader.u16() : 0; left > 0; left--) {
    // Some are left from a longer line, and matter when it is joined with another.
    const at = reader.u16();
    line._combined[at] = new TextDecoder().decode(reader.sized());
  }
  for (let left = flags & EXTENDED ? reader.u16() : 0; left > 0; left--) {
    const attributes = pen.extended.clone();
    const at = requireInRange(reader.u16(), 0, length - 1, "as a cell");
    attributes.ext = reader.i32();
    line._extendedAttrs[at] = attributes;
  }
  const raw = reader.raw(cells * CELL_BYTES);
  const { buffer: target, byteOffset } = line._data;
  new Uint8Array(target, byteOffset, raw.length).set(raw);
  checkCells(line, cells);
  return line;
}

/** A cell that points to something must find it, or the emulator fails later. */
function checkCells(line: BufferLine, cells: number): void {
  for (let cell = 0; cell < cells; cell++) {
    const content = line._data[cell * CELL_NUMBERS] ?? 0;
    const background = line._data[cell * CELL_NUMBERS + 2] ?? 0;
    const isWhole =
      ((content & CONTENT.combined) === 0 || line._combined[cell] !== undefined) &&
      ((background & BG.extended) === 0 || line._extendedAttrs[cell] !== undefined) &&
      (content & CONTENT.codePoint) <= MAX_CODE_POINT &&
      content >>> CONTENT.widthShift <= 2;
    if (!isWhole) throw new Error(`cell ${cell} of a line makes no sense`);
  }
}

const MAX_CODE_POINT = 0x10ffff;
