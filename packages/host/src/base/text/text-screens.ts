import type { Size } from "@nacre/contracts";
import type { FinalLines } from "./rendered-line.ts";
import { TextRow } from "./text-row.ts";
import type { TextStyle } from "./text-style.ts";
import type { Visibility } from "./text-visibility.ts";

/** Where the next character goes; a column that equals the width waits to wrap. */
export interface Cursor {
  row: number;
  column: number;
}

/** Which character sets are in use: true where line drawing was designated. */
export interface Charsets {
  readonly g0: boolean;
  readonly g1: boolean;
  readonly isShifted: boolean;
}

/** What a saved cursor remembers. */
interface SavedCursor extends Readonly<Cursor> {
  readonly isOrigin: boolean;
  readonly charsets: Charsets;
  readonly style: TextStyle;
  readonly visibility: Visibility;
}

/** The rows, cursor and scroll region of the primary or the alternate screen. */
export class TextScreen {
  readonly cursor: Cursor = { row: 0, column: 0 };
  saved: SavedCursor | undefined;
  /** First and last row of the scroll region. */
  top = 0;
  bottom: number;
  readonly #rows: TextRow[];
  /** Rows from here on are blank, so that a flood of scrolling and clearing does not look at each of them. */
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

  /** The row that the cursor is in. */
  get row(): TextRow {
    if (this.cursor.row >= this.#used) this.#used = this.cursor.row + 1;
    return this.#rowAt(this.cursor.row);
  }

  /** Moves down, or scrolls when the cursor is in the last row of the region. */
  lineFeed(): void {
    const { cursor } = this;
    if (this.#final.isVerbatim) this.row.isLine = true;
    if (cursor.row === this.bottom) this.scrollUp(this.top, 1);
    else if (cursor.row < this.#rows.length - 1) cursor.row += 1;
    if (this.#final.isVerbatim) this.row.isLine = true;
  }

  /** Moves up, or scrolls when the cursor is in the first row of the region. */
  reverseLineFeed(): void {
    const { cursor } = this;
    if (cursor.row === this.top) this.scrollDown(this.top, 1);
    else if (cursor.row > 0) cursor.row -= 1;
  }

  /** Goes on in the next row with what does not fit into this one. */
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

  /** Takes rows out at `from`; those below move up to fill the region, and blank ones follow. */
  scrollUp(from: number, count: number): void {
    this.#severRegion(from);
    this.#scrollUp(from, count);
  }

  /** Puts blank rows in at `from`; those below move down and the last ones leave the region. */
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

  /** Blanks columns of a row; what ran over into a row that is blanked whole is no longer continued there. */
  erase(at: number, from: number, to: number): void {
    const row = this.#rowAt(at);
    row.erase(from, to);
    if (from > 0 || to < this.#cols) return;
    this.#sever(at - 1);
    this.#final.closeHead(row);
  }

  /** Blanks whole rows from one up to another. */
  eraseRows(from: number, to: number): void {
    const end = Math.min(to, this.#used);
    for (let at = from; at < end; at++) {
      this.erase(at, 0, Infinity);
      this.#rowAt(at).isLine = false;
    }
    if (to >= this.#used) this.#used = Math.min(this.#used, from);
  }

  /** Whether the cursor is behind everything that was written, and all rows scroll. */
  get isAtEnd(): boolean {
    const { cursor, top, bottom } = this;
    const last = this.#rows.length - 1;
    if (top !== 0 || bottom !== last || this.row.length !== cursor.column) return false;
    return this.#rows.every((row, at) => at <= cursor.row || (row.isEmpty && !row.isLine));
  }

  /** Makes the rows above the cursor final; its own is the first then. */
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

  /** Makes all that is shown final and blanks the screen. */
  finish(): void {
    const last = this.#rows.findLastIndex((row) => !row.isEmpty);
    for (let at = 0; at < this.#used; at++) {
      // Blank lines at the end of a screen end with it.
      if (at <= last || !this.#rowAt(at).isEmpty) this.#finish(at);
      this.#rowAt(at).clear();
    }
    this.#used = 0;
  }

  /** As a screen is before anything was written to it, its rows excepted. */
  reset(): void {
    this.top = 0;
    this.bottom = this.#rows.length - 1;
    this.saved = undefined;
  }

  /** Blank rows below the cursor go first, then rows above it that it needs room for, then those below it. */
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
    // The last row was never left by running over, whatever was below it before.
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

  /** On a screen of one row a line goes on in a row that is not there yet. */
  #replaceOnlyRow(row: TextRow): void {
    const next = new TextRow(this.#isStyled);
    this.#final.addRow(row, next);
    this.#rows[0] = next;
  }

  /** A line that runs into or out of the part of the region that moves is torn apart. */
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

/** The primary and the alternate screen, one of which is shown. */
export class TextScreens {
  readonly primary: TextScreen;
  /** Kept when it is left, because some programs come and go hundreds of times a second. */
  #alternate: TextScreen | undefined;
  #shown: TextScreen;
  #size: Size;
  readonly #isStyled: boolean;
  readonly #alternateLines: FinalLines;

  /** @param alternateLines Where lines of the alternate screen go. */
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

  /** The alternate screen while it is shown. */
  get alternate(): TextScreen | undefined {
    return this.#shown === this.primary ? undefined : this.#shown;
  }

  /** Shows the alternate screen, which is always blank then; the primary stays as it is. */
  enterAlternate(): void {
    if (this.alternate) return;
    this.#alternate ??= new TextScreen(this.#size, this.#isStyled, this.#alternateLines);
    this.#alternate.reset();
    this.#show(this.#alternate);
  }

  /** Shows the primary screen again; what is on the alternate one becomes final. */
  leaveAlternate(): void {
    if (!this.alternate) return;
    this.#shown.finish();
    this.#show(this.primary);
  }

  /** Makes all that is on both screens final, the older primary first, and shows that one. */
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
