// Escape sequences that draw lines of cells into a terminal that is empty so far.
import { type Cell, isGround, isSameStyle, PLAIN_STYLE, readCells, type Style } from "./cell.ts";
import { sgrOf } from "./sgr.ts";
import { BG, type BufferLine, COLOR } from "./xterm-internals.ts";

const ESC = "\u001b";

/** Collects what draws a screen, and knows with which style the next letter would be drawn. */
export class AnsiWriter {
  readonly #cols: number;
  readonly #rows: number;
  readonly #parts: string[] = [];
  #style = PLAIN_STYLE;

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
  setStyle(style: Style): void {
    if (isSameStyle(style, this.#style)) return;
    this.put(sgrOf(style));
    // Some terminals take protection for a part of the style that was just set, others do not.
    if (style.bg & BG.protected) this.put(`${ESC}[1"q`);
    else if (this.#style.bg & BG.protected) this.put(`${ESC}[0"q`);
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
    this.setStyle(PLAIN_STYLE);
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
      if (cell.text !== "" || !isGround(cell)) {
        this.writeCell(cell);
        column += cell.width;
        isFull = column === this.#cols;
        at++;
      } else {
        const length = groundLength(cells, at);
        this.#skipGround(cell, { length, isLast: at + length === cells.length });
        column += length;
        at += length;
      }
    }
    return isFull;
  }

  /** Nobody wrote here: moving over it keeps it so, and erasing gives it its colour. */
  #skipGround(cell: Cell, { length, isLast }: { length: number; isLast: boolean }): void {
    const color = groundColor(cell);
    if (color !== 0) {
      this.setStyle({ ...PLAIN_STYLE, bg: color });
      this.put(`${ESC}[${length}X`);
    }
    if (!isLast) this.put(`${ESC}[${length}C`);
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
      this.setStyle(PLAIN_STYLE);
      this.put("\r\n");
      return;
    }
    // The line that comes into view gets the ground of the letter that wraps.
    if (isFull && first && wrapsByItself(first)) return;
    this.setStyle(PLAIN_STYLE);
    if (!isFull) this.put(`${ESC}[${this.#cols}G `);
    this.put(" ");
    if (!isFull && before) this.#emptyLastCell(before);
    this.put(`\r${ESC}[X`);
  }

  /** Takes back the blank that was only there to make the line wrap. */
  #emptyLastCell(line: BufferLine): void {
    const cells = readCells(line, this.#cols);
    const width = cells.reduce((sum, cell) => sum + cell.width, 0);
    const last = width === this.#cols ? cells.at(-1) : undefined;
    this.put(`${ESC}[A${ESC}[${this.#cols}G`);
    if (last) this.setStyle({ ...PLAIN_STYLE, bg: groundColor(last) });
    this.put(`${ESC}[X`);
    this.setStyle(PLAIN_STYLE);
    this.put(`${ESC}[B`);
  }
}

const groundColor = ({ style }: Cell): number => (style.bg & (COLOR.mode | COLOR.value)) >>> 0;

/** How many cells from here on have nothing but the same ground. */
function groundLength(cells: readonly Cell[], from: number): number {
  const [first, ...rest] = cells.slice(from);
  if (!first) return 0;
  const end = rest.findIndex(
    (cell) => cell.text !== "" || !isGround(cell) || groundColor(cell) !== groundColor(first),
  );
  return end === -1 ? rest.length + 1 : end + 1;
}

const wrapsByItself = (cell: Cell): boolean => cell.text !== "" && groundColor(cell) === 0;
