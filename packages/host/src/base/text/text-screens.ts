import type { Size } from "@nacre/contracts";
import type { FinalLines } from "./rendered-line.ts";
import { TextRow } from "./text-row.ts";
import type { TextStyle } from "./text-style.ts";
import type { Visibility } from "./text-visibility.ts";

/** A column equal to the width is pending wrap. */
export interface Cursor {
  row: number;
  column: number;
}

/** True: DEC special graphics. */
export interface Charsets {
  readonly g0: boolean;
  readonly g1: boolean;
  readonly isShifted: boolean;
}

interface SavedCursor extends Readonly<Cursor> {
  readonly isOrigin: boolean;
  readonly charsets: Charsets;
  readonly style: TextStyle;
  readonly visibility: Visibility;
}

/** The primary or the alternate screen. */
export class TextScreen {
  readonly cursor: Cursor = { row: 0, column: 0 };
  saved: SavedCursor | undefined;
  /** Inclusive. */
  top = 0;
  bottom: number;
  readonly #rows: TextRow[];
  /** Rows from here on are blank, so that floods of scrolling and clearing skip them. */
  #used: number;
  #cols: number;
  readonly #isStyled: boolean;
  readonly #final: FinalLines;

  constructor({ cols, rows }: Size, isStyled: boolean, final: FinalLines) {
    this.#cols = cols;
    this.#isStyled = isStyled;
    this.#final = final;
    this.#rows = Array.from({ length: rows }, () => new TextRow(isStyled));
    this.#used = rows;
    this.bottom = rows - 1;
  }

  get rows(): readonly TextRow[] {
    return this.#rows;
  }

  get row(): TextRow {
    if (this.cursor.row >= this.#used) this.#used = this.cursor.row + 1;
    return this.#rowAt(this.cursor.row);
  }

  /** Scrolls in the last row of the region. */
  lineFeed(): void {
    const { cursor } = this;
    if (this.#final.isVerbatim) this.row.isLine = true;
    if (cursor.row === this.bottom) this.scrollUp(this.top, 1);
    else if (cursor.row < this.#rows.length - 1) cursor.row += 1;
    if (this.#final.isVerbatim) this.row.isLine = true;
  }

  /** Scrolls in the first row of the region. */
  reverseLineFeed(): void {
    const { cursor } = this;
    if (cursor.row === this.top) this.scrollDown(this.top, 1);
    else if (cursor.row > 0) cursor.row -= 1;
  }

  wrap(): void {
    const { cursor, row } = this;
    const isLast = cursor.row === this.#rows.length - 1;
    if (cursor.row === this.bottom) this.#severRegion(this.top);
    if (isLast && cursor.row !== this.bottom) row.cut(cursor.column);
    else row.runOver(cursor.column);
    if (this.#rows.length === 1) this.#replaceOnlyRow(row);
    else if (cursor.row === this.bottom) this.#scrollUp(this.top, 1);
    else if (!isLast) cursor.row += 1;
    cursor.column = 0;
  }

  /** Removes rows at `from`; those below move up, blank ones follow. */
  scrollUp(from: number, count: number): void {
    this.#severRegion(from);
    this.#scrollUp(from, count);
  }

  /** Inserts blank rows at `from`; the last ones leave the region. */
  scrollDown(from: number, count: number): void {
    this.#severRegion(from);
    if (from >= this.#used) return;
    const gone = Math.min(count, this.bottom - from + 1);
    const first = this.bottom - gone + 1;
    if (first === from && this.#used <= this.bottom + 1) this.#used = from;
    else this.#used = Math.min(this.#used + gone, this.#rows.length);
    this.#sever(first - 1);
    for (let at = first; at <= this.bottom; at++) this.#finish(at);
    const rows = this.#rows.splice(first, gone);
    for (const row of rows) row.clear();
    this.#rows.splice(from, 0, ...rows);
  }

  /** A row blanked completely ends the line that wrapped into it. */
  erase(at: number, from: number, to: number): void {
    const row = this.#rowAt(at);
    row.erase(from, to);
    if (from > 0 || to < this.#cols) return;
    this.#sever(at - 1);
    this.#final.closeHead(row);
  }

  /** Whole rows, end exclusive. */
  eraseRows(from: number, to: number): void {
    const end = Math.min(to, this.#used);
    for (let at = from; at < end; at++) {
      this.erase(at, 0, Infinity);
      this.#rowAt(at).isLine = false;
    }
    if (to >= this.#used) this.#used = Math.min(this.#used, from);
  }

  /** The cursor is after everything written, and all rows scroll. */
  get isAtEnd(): boolean {
    const { cursor, top, bottom } = this;
    const last = this.#rows.length - 1;
    if (top !== 0 || bottom !== last || this.row.length !== cursor.column) return false;
    return this.#rows.every((row, at) => at <= cursor.row || (row.isEmpty && !row.isLine));
  }

  /** The cursor's row becomes the first. */
  finishAbove(): void {
    const { cursor } = this;
    const gone = cursor.row;
    for (let at = 0; at < gone; at++) this.#finish(at);
    const rows = this.#rows.splice(0, gone);
    for (const row of rows) row.clear();
    this.#rows.push(...rows);
    this.#used = this.#rows.length;
    cursor.row = 0;
    if (this.saved) this.saved = { ...this.saved, row: Math.max(0, this.saved.row - gone) };
  }

  /** Everything becomes final, and the screen blank. */
  finish(): void {
    const last = this.#rows.findLastIndex((row) => !row.isEmpty);
    for (let at = 0; at < this.#used; at++) {
      // Trailing blank lines end with the screen.
      if (at <= last || !this.#rowAt(at).isEmpty) this.#finish(at);
      this.#rowAt(at).clear();
    }
    this.#used = 0;
  }

  /** Except the rows. */
  reset(): void {
    this.top = 0;
    this.bottom = this.#rows.length - 1;
    this.saved = undefined;
  }

  /** Blank rows below the cursor go first, then rows above it, then those below it. */
  resize({ cols, rows }: Size): void {
    const { cursor } = this;
    this.#used = rows;
    while (this.#rows.length > Math.max(rows, cursor.row + 1) && this.#rows.at(-1)?.isEmpty) {
      this.#rows.pop();
    }
    const gone = Math.max(0, cursor.row + 1 - rows);
    for (let at = 0; at < gone; at++) this.#finish(at);
    this.#rows.splice(0, gone);
    for (let at = rows; at < this.#rows.length; at++) this.#finish(at);
    if (this.#rows.length > rows) this.#rows.length = rows;
    while (this.#rows.length < rows) this.#rows.push(new TextRow(this.#isStyled));
    // The last row never wrapped, whatever was below it before.
    this.#sever(rows - 1);
    const fit = (place: Readonly<Cursor>): Cursor => ({
      row: Math.min(Math.max(0, place.row - gone), rows - 1),
      column: Math.min(place.column, cols < this.#cols ? cols - 1 : cols),
    });
    Object.assign(cursor, fit(cursor));
    if (this.saved) this.saved = { ...this.saved, ...fit(this.saved) };
    this.#cols = cols;
    this.top = 0;
    this.bottom = rows - 1;
  }

  /** See `TextRow.compact`. */
  compact(): void {
    for (const row of this.#rows) row.compact();
  }

  #scrollUp(from: number, count: number): void {
    if (from >= this.#used) return;
    const gone = Math.min(count, this.bottom - from + 1);
    if (this.#used <= this.bottom + 1) this.#used = Math.max(from, this.#used - gone);
    for (let at = from; at < from + gone; at++) this.#finish(at);
    if (gone === 1 && from === 0 && this.bottom === this.#rows.length - 1) {
      const row = this.#rows.shift();
      row?.clear();
      if (row) this.#rows.push(row);
      return;
    }
    const rows = this.#rows.splice(from, gone);
    for (const row of rows) row.clear();
    this.#rows.splice(this.bottom - gone + 1, 0, ...rows);
  }

  /** On a screen of one row a line continues in a row that does not exist yet. */
  #replaceOnlyRow(row: TextRow): void {
    const next = new TextRow(this.#isStyled);
    this.#final.addRow(row, next);
    this.#rows[0] = next;
  }

  /** A line that crosses the moved part of the region is torn apart. */
  #severRegion(from: number): void {
    this.#sever(from - 1);
    this.#sever(this.bottom);
  }

  #sever(at: number): void {
    const row = this.#rows[at];
    if (row) row.wrapsAt = 0;
  }

  #finish(at: number): void {
    this.#final.addRow(this.#rowAt(at), this.#rows[at + 1]);
  }

  #rowAt(at: number): TextRow {
    const row = this.#rows[at];
    if (!row) throw new Error(`row ${at} is not one of ${this.#rows.length}`);
    return row;
  }
}

export class TextScreens {
  readonly primary: TextScreen;
  /** Reused: some programs enter and leave hundreds of times a second. */
  #alternate: TextScreen | undefined;
  #shown: TextScreen;
  #size: Size;
  readonly #isStyled: boolean;
  readonly #alternateLines: FinalLines;

  constructor(size: Size, isStyled: boolean, final: FinalLines, alternateLines = final) {
    this.#size = size;
    this.#isStyled = isStyled;
    this.#alternateLines = alternateLines;
    this.primary = new TextScreen(size, isStyled, final);
    this.#shown = this.primary;
  }

  get shown(): TextScreen {
    return this.#shown;
  }

  /** While it is shown. */
  get alternate(): TextScreen | undefined {
    return this.#shown === this.primary ? undefined : this.#shown;
  }

  /** Always blank at first; the primary is unchanged. */
  enterAlternate(): void {
    if (this.alternate) return;
    this.#alternate ??= new TextScreen(this.#size, this.#isStyled, this.#alternateLines);
    this.#alternate.reset();
    this.#show(this.#alternate);
  }

  /** The alternate's content becomes final. */
  leaveAlternate(): void {
    if (!this.alternate) return;
    this.#shown.finish();
    this.#show(this.primary);
  }

  /** Both become final, the primary first; then the primary is shown. */
  finish(): void {
    this.primary.finish();
    this.leaveAlternate();
  }

  resize(size: Size): void {
    this.#size = size;
    this.primary.resize(size);
    if (this.alternate) this.alternate.resize(size);
    else this.#alternate = undefined;
  }

  #show(screen: TextScreen): void {
    Object.assign(screen.cursor, this.#shown.cursor);
    this.#shown = screen;
  }
}
