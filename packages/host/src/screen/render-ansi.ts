// The screen as escape sequences that restore it in an empty xterm-like terminal of the same size.
import {
  type Cell,
  type CellStyle,
  decodeCellStyle,
  isBackgroundOnly,
  isSameCellStyle,
  PLAIN_CELL_STYLE,
  readCells,
} from "./cell.ts";
import type { Emulator } from "./emulator.ts";
import { formatSgr } from "./cell-style.ts";
import { cursorStyleCode } from "./query-replies.ts";
import { charsetName } from "./snapshot.ts";
import {
  type Attributes,
  BG,
  type BufferLine,
  COLOR,
  type Core,
  type ScreenBuffer,
} from "./xterm-internals.ts";

/** Builds the output and tracks the current SGR state. */
class AnsiWriter {
  readonly #cols: number;
  readonly #rows: number;
  readonly #parts: string[] = [];
  #style = PLAIN_CELL_STYLE;

  constructor({ cols, rows }: { cols: number; rows: number }) {
    this.#cols = cols;
    this.#rows = rows;
  }

  toString(): string {
    return this.#parts.join("");
  }

  put(text: string): void {
    this.#parts.push(text);
  }

  setStyle(style: CellStyle): void {
    if (isSameCellStyle(style, this.#style)) return;
    this.put(formatSgr(style));
    // Some terminals make DECSCA part of SGR, others do not.
    if (style.bg & BG.protected) this.put(`${ESC}[1"q`);
    else if (this.#style.bg & BG.protected) this.put(`${ESC}[0"q`);
    this.#style = style;
  }

  /** From the top; earlier lines scroll out. */
  writeLines(lines: readonly BufferLine[]): void {
    let isFull = false;
    for (const [at, line] of lines.entries()) {
      const cells = readCells(line, this.#cols);
      if (at > 0) this.#breakLine({ isFull, line, first: cells[0], before: lines[at - 1] });
      isFull = this.#writeCells(cells);
    }
    this.setStyle(PLAIN_CELL_STYLE);
  }

  writeCell(cell: Cell): void {
    this.setStyle(cell.style);
    this.put(cell.text === "" ? " " : cell.text);
  }

  /** Whether the last column is filled, so that the next character would wrap. */
  #writeCells(cells: readonly Cell[]): boolean {
    let column = 0;
    let isFull = false;
    for (let at = 0; at < cells.length;) {
      const cell = cells[at];
      if (!cell) break;
      if (cell.text !== "" || !isBackgroundOnly(cell)) {
        this.writeCell(cell);
        column += cell.width;
        isFull = column === this.#cols;
        at++;
      } else {
        const length = countBackgroundCells(cells, at);
        this.#skipBackground(cell, { length, isLast: at + length === cells.length });
        column += length;
        at += length;
      }
    }
    return isFull;
  }

  /** Unwritten cells: moving over them keeps them so, erasing gives them their background. */
  #skipBackground(cell: Cell, { length, isLast }: { length: number; isLast: boolean }): void {
    const color = backgroundColor(cell);
    if (color !== 0) {
      this.setStyle({ ...PLAIN_CELL_STYLE, bg: color });
      this.put(`${ESC}[${length}X`);
    }
    if (!isLast) this.put(`${ESC}[${length}C`);
  }

  /** Wraps wrapped lines again, so that a later resize treats both as one. */
  #breakLine(place: {
    isFull: boolean;
    line: BufferLine;
    first: Cell | undefined;
    before: BufferLine | undefined;
  }): void {
    const { isFull, line, first, before } = place;
    if (!line.isWrapped || (!isFull && this.#rows < 2)) {
      this.setStyle(PLAIN_CELL_STYLE);
      this.put("\r\n");
      return;
    }
    // The row that scrolls into view gets the background of the wrapping character.
    if (isFull && first && wrapsByItself(first)) return;
    this.setStyle(PLAIN_CELL_STYLE);
    if (!isFull) this.put(`${ESC}[${this.#cols}G `);
    this.put(" ");
    if (!isFull && before) this.#emptyLastCell(before);
    this.put(`\r${ESC}[X`);
  }

  /** Erases the blank that only made the line wrap. */
  #emptyLastCell(line: BufferLine): void {
    const cells = readCells(line, this.#cols);
    const width = cells.reduce((sum, cell) => sum + cell.width, 0);
    const last = width === this.#cols ? cells.at(-1) : undefined;
    this.put(`${ESC}[A${ESC}[${this.#cols}G`);
    if (last) this.setStyle({ ...PLAIN_CELL_STYLE, bg: backgroundColor(last) });
    this.put(`${ESC}[X`);
    this.setStyle(PLAIN_CELL_STYLE);
    this.put(`${ESC}[B`);
  }
}

const backgroundColor = ({ style }: Cell): number => (style.bg & (COLOR.mode | COLOR.value)) >>> 0;

/** Cells from here on with nothing but the same background. */
function countBackgroundCells(cells: readonly Cell[], from: number): number {
  const [first, ...rest] = cells.slice(from);
  if (!first) return 0;
  const end = rest.findIndex(
    (cell) =>
      cell.text !== "" ||
      !isBackgroundOnly(cell) ||
      backgroundColor(cell) !== backgroundColor(first),
  );
  return end === -1 ? rest.length + 1 : end + 1;
}

const wrapsByItself = (cell: Cell): boolean => cell.text !== "" && backgroundColor(cell) === 0;

const ESC = "\u001b";

/** Restores scrollback, screen, cursor and every mode that matters to a continuing viewer. */
export function renderAnsi(emulator: Emulator): string {
  const { core } = emulator;
  const { buffers, cols, rows } = core._bufferService;
  const writer = new AnsiWriter({ cols, rows });
  writer.writeLines(collectLines(buffers.normal));
  if (buffers.active === buffers.alt) {
    writeTabs(writer, buffers.normal, cols);
    writeMargins(writer, buffers.normal, rows);
    // Where the cursor returns when the program leaves the alternate screen.
    saveCursor(writer, buffers.normal);
    writer.put(`${ESC}[?1047h${ESC}[H${ESC}[2J`);
    writer.writeLines(collectLines(buffers.alt));
  }
  writeTabs(writer, buffers.active, cols);
  writer.put(`${ESC}[r`);
  writeMargins(writer, buffers.active, rows);
  if (hasSavedCursor(buffers.active)) saveCursor(writer, buffers.active);
  writeModes(writer, core);
  writeCursor(writer, core);
  writePen(writer, core._inputHandler._curAttrData);
  writeCharsets(writer, core);
  writeWritingModes(writer, core);
  // Later output may continue a sequence that is already open.
  writer.put(new TextDecoder().decode(emulator.openSequence));
  return writer.toString();
}

/** From the oldest; without empty ones at the end where nothing has scrolled yet. */
function collectLines(buffer: ScreenBuffer): readonly BufferLine[] {
  const lines: BufferLine[] = [];
  for (let at = 0; at < buffer.lines.length; at++) {
    const line = buffer.lines.get(at);
    if (line) lines.push(line);
  }
  if (buffer.ybase > 0) return lines;
  const last = lines.findLastIndex(
    (line) => line.isWrapped || readCells(line, line.length).length > 0,
  );
  return lines.slice(0, last + 1);
}

function writeTabs(writer: AnsiWriter, { tabs }: ScreenBuffer, cols: number): void {
  const stops = Object.keys(tabs)
    .map(Number)
    .filter((stop) => stop < cols);
  const isUsual = stops.length === Math.ceil(cols / 8) && stops.every((stop) => stop % 8 === 0);
  if (isUsual) return;
  writer.put(`${ESC}[3g`);
  for (const stop of stops) writer.put(`${ESC}[${stop + 1}G${ESC}H`);
}

function writeMargins(writer: AnsiWriter, buffer: ScreenBuffer, rows: number): void {
  const { scrollTop, scrollBottom } = buffer;
  if (scrollTop > 0 || scrollBottom < rows - 1) {
    writer.put(`${ESC}[${scrollTop + 1};${scrollBottom + 1}r`);
  }
}

const hasSavedCursor = ({
  savedX,
  savedY,
  savedCurAttrData,
  savedCharset,
}: ScreenBuffer): boolean =>
  savedX !== 0 ||
  savedY !== 0 ||
  savedCurAttrData.fg !== 0 ||
  savedCurAttrData.bg !== 0 ||
  savedCharset !== undefined;

/** Moves the cursor to its saved position, saves it (DECSC) and resets SGR. */
function saveCursor(writer: AnsiWriter, buffer: ScreenBuffer): void {
  const row = Math.max(buffer.savedY - buffer.ybase, 0) + 1;
  writer.put(`${ESC}[${row};${buffer.savedX + 1}H`);
  writePen(writer, buffer.savedCurAttrData);
  writer.put(`${ESC}(${charsetName(buffer.savedCharset)}${ESC}7${ESC}(B`);
  writer.setStyle(PLAIN_CELL_STYLE);
}

function writePen(writer: AnsiWriter, { fg, bg, extended }: Attributes): void {
  writer.setStyle(decodeCellStyle(fg, bg, extended.ext));
}

const MOUSE: Readonly<Record<string, number>> = { X10: 9, VT200: 1000, DRAG: 1002, ANY: 1003 };
const MOUSE_ENCODING: Readonly<Record<string, number>> = { SGR: 1006, SGR_PIXELS: 1016 };

/** Modes for input, and the cursor's shape. */
function writeModes(writer: AnsiWriter, core: Core): void {
  const { coreService, coreMouseService, optionsService } = core;
  const modes = coreService.decPrivateModes;
  const set = (mode: number | undefined, isSet = true): void => {
    if (mode !== undefined && isSet) writer.put(`${ESC}[?${mode}h`);
  };
  set(1, modes.applicationCursorKeys);
  set(12, optionsService.options.cursorBlink);
  set(45, modes.reverseWraparound);
  set(1004, modes.sendFocus);
  set(2004, modes.bracketedPasteMode);
  set(MOUSE[coreMouseService.activeProtocol]);
  set(MOUSE_ENCODING[coreMouseService.activeEncoding]);
  if (modes.applicationKeypad) writer.put(`${ESC}=`);
  if (coreService.isCursorHidden) writer.put(`${ESC}[?25l`);
  if (modes.cursorStyle !== undefined) writer.put(`${ESC}[${cursorStyleCode(core)} q`);
}

/** Pending wrap is restored by rewriting the last character of the row. */
function writeCursor(writer: AnsiWriter, core: Core): void {
  const { buffers, cols } = core._bufferService;
  const { x, y, ybase, scrollTop, lines } = buffers.active;
  const { origin } = core.coreService.decPrivateModes;
  if (origin) writer.put(`${ESC}[?6h`);
  const row = (origin ? Math.max(y - scrollTop, 0) : y) + 1;
  const line = lines.get(ybase + y);
  if (x < cols || !line) {
    writer.put(`${ESC}[${row};${x + 1}H`);
    return;
  }
  const cells = readCells(line, cols);
  const isFull = cells.reduce((sum, cell) => sum + cell.width, 0) === cols;
  const last = (isFull ? cells.at(-1) : undefined) ?? BLANK;
  writer.put(`${ESC}[${row};${cols + 1 - last.width}H`);
  writer.writeCell(last);
}

const BLANK = { text: "", width: 1, style: PLAIN_CELL_STYLE } as const;

const SHIFTS = ["\u000f", "\u000e", `${ESC}n`, `${ESC}o`];

function writeCharsets(writer: AnsiWriter, core: Core): void {
  const { charset, glevel, _charsets } = core._charsetService;
  for (const [level, designator] of ["(", ")", "*", "+"].entries()) {
    const name = charsetName(level === glevel ? charset : _charsets[level]);
    if (name !== "B") writer.put(`${ESC}${designator}${name}`);
  }
  if (glevel !== 0) writer.put(SHIFTS[glevel] ?? "");
}

/** Modes that change how writing works; so they come last. */
function writeWritingModes(writer: AnsiWriter, core: Core): void {
  const { modes, decPrivateModes } = core.coreService;
  if (modes.insertMode) writer.put(`${ESC}[4h`);
  if (core.optionsService.options.convertEol) writer.put(`${ESC}[20h`);
  if (!decPrivateModes.wraparound) writer.put(`${ESC}[?7l`);
}
