import {
  addAccent,
  characterAt,
  countLeadingBlanks,
  isBlank,
  padTo,
  splitAt,
  storeCells,
  toCells,
} from "./cells.ts";
import type { OpenLine } from "./rendered-line.ts";
import {
  appendRun,
  isSameTextStyle,
  PLAIN_TEXT_STYLE,
  type StyledRun,
  type TextStyle,
} from "./text-style.ts";

/** Mark and, when kept, style of written characters. */
export interface Pen {
  mark: number;
  style: TextStyle;
}

/** A plain string as long as each column is one UTF-16 unit, else cells. */
export class TextRow {
  /** Columns that were full when the text wrapped, all stored; 0 when it did not. */
  wrapsAt = 0;
  /** Part of the output, blank or not: written to, or left or reached by a line feed. */
  isLine = false;
  /** The beginning of this row's line, whose rows are gone. */
  head: OpenLine | undefined;
  #text = "";
  #cells: string[] | undefined;
  readonly #styles: TextStyle[] | undefined;
  #isBlank = true;
  #isLoose = false;
  #first = 0;
  #last = 0;

  constructor(isStyled: boolean) {
    this.#styles = isStyled ? [] : undefined;
  }

  get first(): number {
    return this.#first;
  }

  get last(): number {
    return this.#last;
  }

  get isBlank(): boolean {
    return this.#isBlank;
  }

  /** Can never be part of a line. */
  get isEmpty(): boolean {
    return this.#isBlank && this.wrapsAt === 0 && this.head === undefined;
  }

  /** A line of its own that needs no cutting: visible, unstyled, one UTF-16 unit per column. */
  get isPlain(): boolean {
    return !this.#isBlank && this.#cells === undefined && this.#styles === undefined;
  }

  get text(): string {
    return this.#cells ? this.#cells.join("") : this.#text;
  }

  /** The text as `restore` takes it back. */
  get stored(): string {
    return this.#cells ? storeCells(this.#cells).join("") : this.#text;
  }

  /** Undefined when styles are not kept. */
  get runs(): StyledRun[] | undefined {
    if (!this.#styles) return undefined;
    const cells = this.#cells ?? this.#text;
    const runs: StyledRun[] = [];
    for (let column = 0; column < cells.length; column++) {
      appendRun(runs, {
        text: cells[column] ?? " ",
        style: this.#styles[column] ?? PLAIN_TEXT_STYLE,
      });
    }
    return runs;
  }

  /** One UTF-16 unit and one column per character. */
  put(column: number, text: string, pen: Pen): void {
    const lead = this.#isBlank || column >= this.length ? 0 : countLeadingBlanks(text);
    if (lead > 0 && lead < text.length) {
      // Blanks may leave the row blank, and then the text begins anew.
      this.put(column, text.slice(0, lead), pen);
      return this.put(column + lead, text.slice(lead), pen);
    }
    const mayBlank = this.#note(column, text, pen);
    const end = column + text.length;
    if (this.#cells) {
      this.#makeRoom(this.#cells, column, end);
      for (let at = column; at < end; at++) this.#cells[at] = text[at - column] ?? " ";
    } else {
      this.#isLoose = true;
      const old = this.#text;
      if (column === old.length) this.#text = old + text;
      else this.#text = old.slice(0, column).padEnd(column) + text + old.slice(end);
    }
    if (this.#styles) this.#paint(column, end, pen.style);
    if (mayBlank) this.#checkBlank();
  }

  /** Any character of one or two columns. */
  putCharacter(column: number, character: string, width: 1 | 2, pen: Pen): void {
    const mayBlank = this.#note(column, character, pen);
    const cells = this.#toCells();
    this.#makeRoom(cells, column, column + width);
    cells[column] = character;
    if (width === 2) cells[column + 1] = "";
    if (this.#styles) this.#paint(column, column + width, pen.style);
    if (mayBlank) this.#checkBlank();
  }

  /** Only plain spaces from a column on. */
  isOpenFrom(column: number): boolean {
    const cells = this.#cells ?? this.#text;
    for (let at = column; at < cells.length; at++) {
      const style = this.#styles?.[at] ?? PLAIN_TEXT_STYLE;
      if (cells[at] !== " " || !isSameTextStyle(style, PLAIN_TEXT_STYLE)) return false;
    }
    return true;
  }

  /** Over open columns. */
  putTab(from: number, to: number, pen: Pen): void {
    this.#note(from, "\t", pen);
    const cells = this.#toCells();
    cells.length = Math.min(cells.length, from);
    if (this.#styles) this.#styles.length = Math.min(this.#styles.length, from);
    this.#makeRoom(cells, from, from);
    cells.push("\t");
    while (cells.length < to) cells.push("");
  }

  putAccent(column: number, accent: string, pen: Pen): void {
    const cells = this.#toCells();
    padTo(cells, column + 1);
    addAccent(cells, column, accent);
    if (this.#isBlank) this.#first = pen.mark;
    this.#last = pen.mark;
    this.#isBlank &&= isBlank(accent);
  }

  /** Without marks. */
  codePointAt(column: number): number {
    return characterAt(this.#cells ?? this.#text, column).codePointAt(0) ?? 0x20;
  }

  erase(from: number, to: number): void {
    if (from < this.wrapsAt && to >= this.wrapsAt) this.wrapsAt = 0;
    const { length } = this;
    if (from >= length) return;
    if (!this.#cells) {
      const rest = this.#text.slice(to);
      this.#text = this.#text.slice(0, from) + (rest && " ".repeat(to - from) + rest);
    } else {
      splitAt(this.#cells, from);
      splitAt(this.#cells, to);
      if (to < length) this.#cells.fill(" ", from, to);
      else this.#cells.length = from;
    }
    if (this.#styles) {
      this.#styles.fill(PLAIN_TEXT_STYLE, from, to);
      if (to >= length) this.#styles.length = Math.min(this.#styles.length, from);
    }
    this.#checkBlank();
  }

  /** Characters pushed past the end are dropped. */
  insert(column: number, count: number, cols: number): void {
    this.cut(cols);
    this.#replace(column, 0, count);
    // A character pushed halfway off the row is gone.
    if (this.#cells) splitAt(this.#cells, cols);
    this.cut(cols);
  }

  /** Later columns move up, so the row does not wrap any more. */
  remove(column: number, count: number, cols: number): void {
    this.cut(cols);
    this.#replace(column, count, 0);
    this.wrapsAt = 0;
  }

  /** Drops what lies beyond the width after the screen became narrower. */
  cut(cols: number): void {
    if (!this.#cells) {
      if (this.#text.length <= cols) return;
      this.#text = this.#text.slice(0, cols);
    } else {
      // A wide character across the edge was visible.
      const end = this.#cells[cols] === "" ? cols + 1 : cols;
      if (this.#cells.length <= end) return;
      this.#cells.length = end;
    }
    if (this.#styles) this.#styles.length = Math.min(this.#styles.length, cols);
    this.wrapsAt = Math.min(this.wrapsAt, cols);
    this.#checkBlank();
  }

  /** The text wraps into the row below, from this column on. */
  runOver(column: number): void {
    this.cut(column);
    if (this.#cells) padTo(this.#cells, column);
    else if (this.#text.length < column) this.#text = this.#text.padEnd(column);
    this.wrapsAt = column;
  }

  clear(): void {
    this.isLine = false;
    this.wrapsAt = 0;
    this.head = undefined;
    this.#text = "";
    this.#cells = undefined;
    if (this.#styles) this.#styles.length = 0;
    this.#isBlank = true;
    this.#isLoose = false;
  }

  /** Releases the decoded text of which this row is a slice; that may be a thousand times as long. */
  compact(): void {
    if (!this.#isLoose) return;
    this.#isLoose = false;
    // V8 slices keep the whole string alive; a slice of a new concatenation keeps only that.
    this.#text = ` ${this.#text}`.slice(1);
  }

  /** Takes text and marks as they were in a row without styles. */
  restore({ text, first, last }: { text: string; first: number; last: number }): void {
    const cells = toCells(text);
    if (cells.length !== text.length || cells.includes("")) this.#cells = cells;
    else this.#text = text;
    this.#first = first;
    this.#last = last;
    this.#isBlank = isBlank(this.text);
  }

  get length(): number {
    return this.#cells?.length ?? this.#text.length;
  }

  /** Whether the write may leave nothing visible. */
  #note(column: number, text: string, pen: Pen): boolean {
    if (column === 0 || this.#isBlank) this.#first = pen.mark;
    this.#last = pen.mark;
    this.isLine = true;
    if (!this.#isBlank) return column < this.length && isBlank(text);
    this.#isBlank = isBlank(text);
    return false;
  }

  #toCells(): string[] {
    if (!this.#cells) {
      this.#cells = this.#text.split("");
      this.#text = "";
    }
    return this.#cells;
  }

  #makeRoom(cells: string[], from: number, to: number): void {
    padTo(cells, from);
    splitAt(cells, from);
    splitAt(cells, to);
  }

  #paint(from: number, to: number, style: TextStyle): void {
    const styles = this.#styles ?? [];
    for (let column = styles.length; column < from; column++) styles.push(PLAIN_TEXT_STYLE);
    for (let column = from; column < to; column++) styles[column] = style;
  }

  #replace(column: number, removed: number, added: number): void {
    const blanks = " ".repeat(added);
    if (this.#cells) {
      splitAt(this.#cells, column);
      splitAt(this.#cells, column + removed);
      if (column < this.#cells.length) this.#cells.splice(column, removed, ...blanks.split(""));
    } else if (column < this.#text.length) {
      const rest = this.#text.slice(column + removed);
      this.#text = this.#text.slice(0, column) + blanks + rest;
    }
    if (this.#styles && column < this.#styles.length) {
      this.#styles.splice(column, removed, ...Array.from(blanks, () => PLAIN_TEXT_STYLE));
    }
    this.#checkBlank();
  }

  /** Call after anything that removes characters. */
  #checkBlank(): void {
    if (this.#cells?.length === 0) this.#cells = undefined;
    this.#isBlank ||= isBlank(this.text);
  }
}
