// Escape sequences that draw lines of cells into a terminal that is empty so far.
import {
  type Cell,
  isBackgroundOnly,
  isSameCellStyle,
  PLAIN_CELL_STYLE,
  readCells,
  type CellStyle,
} from "./cell.ts";
import { formatSgr } from "./sgr.ts";
import { BG, type BufferLine, COLOR } from "./xterm-internals.ts";

const ESCAPE = "\u001b";

/** Collects what draws a screen, and knows with which style the next letter would be drawn. */
export class AnsiWriter {
  readonly #cols: number;
  readonly #rows: number;
  readonly #parts: string[] = [];
  #style = PLAIN_CELL_STYLE;

  constructor({ cols, rows }: { cols: number; rows: number }) {
    this.#cols = cols;
    this.#rows = rows;
  }

  /** Everything so far. */
  toString(): string {
    return this.#parts.join("");
  }

  put(text: string): void {
    this.#parts.push(text);
  }

  /** Chooses how the next letters look. */
  setStyle(style: CellStyle): void {
    if (isSameCellStyle(style, this.#style)) return;
    this.put(formatSgr(style));
    // Some terminals take protection for a part of the style that was just set, others do not.
    if (style.bg & BG.protected) this.put(`${ESCAPE}[1"q`);
    else if (this.#style.bg & BG.protected) this.put(`${ESCAPE}[0"q`);
    this.#style = style;
  }

  /** Draws lines from the top; those that do not fit scroll away. */
  writeLines(lines: readonly BufferLine[]): void {
    let isFull = false;
    for (const [at, line] of lines.entries()) {
      const cells = readCells(line, this.#cols);
      if (at > 0) this.#breakLine({ isFull, line, first: cells[0], before: lines[at - 1] });
      isFull = this.#writeCells(cells);
    }
    this.setStyle(PLAIN_CELL_STYLE);
  }

  /** Draws a cell where the cursor stands. */
  writeCell(cell: Cell): void {
    this.setStyle(cell.style);
    this.put(cell.text === "" ? " " : cell.text);
  }

  /** Says whether a letter stands in the last column, so that the next one would wrap. */
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

  /** Nobody wrote here: moving over it keeps it so, and erasing gives it its colour. */
  #skipBackground(cell: Cell, { length, isLast }: { length: number; isLast: boolean }): void {
    const color = backgroundColor(cell);
    if (color !== 0) {
      this.setStyle({ ...PLAIN_CELL_STYLE, bg: color });
      this.put(`${ESCAPE}[${length}X`);
    }
    if (!isLast) this.put(`${ESCAPE}[${length}C`);
  }

  /** A line that was wrapped is wrapped again, so that a change of the size treats both as one. */
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
    // The line that comes into view gets the ground of the letter that wraps.
    if (isFull && first && wrapsByItself(first)) return;
    this.setStyle(PLAIN_CELL_STYLE);
    if (!isFull) this.put(`${ESCAPE}[${this.#cols}G `);
    this.put(" ");
    if (!isFull && before) this.#emptyLastCell(before);
    this.put(`\r${ESCAPE}[X`);
  }

  /** Takes back the blank that was only there to make the line wrap. */
  #emptyLastCell(line: BufferLine): void {
    const cells = readCells(line, this.#cols);
    const width = cells.reduce((sum, cell) => sum + cell.width, 0);
    const last = width === this.#cols ? cells.at(-1) : undefined;
    this.put(`${ESCAPE}[A${ESCAPE}[${this.#cols}G`);
    if (last) this.setStyle({ ...PLAIN_CELL_STYLE, bg: backgroundColor(last) });
    this.put(`${ESCAPE}[X`);
    this.setStyle(PLAIN_CELL_STYLE);
    this.put(`${ESCAPE}[B`);
  }
}

const backgroundColor = ({ style }: Cell): number => (style.bg & (COLOR.mode | COLOR.value)) >>> 0;

/** How many cells from here on have nothing but the same ground. */
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
