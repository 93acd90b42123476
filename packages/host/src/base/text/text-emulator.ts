import { MAX_SIDE_CELLS, type Size } from "@nacre/contracts";
import { isInvisible, widthOf } from "./cells.ts";
import { CSI_FUNCTIONS } from "./csi-functions.ts";
import type { Csi, VtHandler } from "./vt-parser.ts";
import { FinalLines } from "./rendered-line.ts";
import type { Pen } from "./text-row.ts";
import { type Charsets, type Cursor, type TextScreen, TextScreens } from "./text-screens.ts";
import { PLAIN_TEXT_STYLE } from "./text-style.ts";
import {
  isVisible,
  PLAIN_VISIBILITY,
  selectVisibility,
  type Visibility,
} from "./text-visibility.ts";

/** DEC special graphics for ` to ~. */
const SHAPES = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

const FIRST_SHAPE = 0x60;

function toLineDrawing(text: string): string {
  return text.replace(/[`-~]/g, (letter) => SHAPES[letter.charCodeAt(0) - FIRST_SHAPE] ?? letter);
}

/** Initial distance of tab stops. */
const TAB_WIDTH = 8;

/** Columns beyond the screen have stops, too, for when it grows. */
class TabStops {
  readonly #stops = new Uint8Array(MAX_SIDE_CELLS);
  #isDefault = false;

  constructor(columns?: readonly number[]) {
    this.reset();
    if (!columns) return;
    this.clearAll();
    for (const column of columns) this.set(column);
  }

  /** Undefined when unchanged. */
  get columns(): number[] | undefined {
    if (this.#isDefault) return undefined;
    return Array.from(this.#stops.keys()).filter((column) => this.#stops[column] === 1);
  }

  /** Infinity when there is none. */
  after(column: number): number {
    const stop = this.#stops.indexOf(1, column + 1);
    return stop === -1 ? Infinity : stop;
  }

  /** 0 when there is none. */
  before(column: number): number {
    return column <= 0 ? 0 : Math.max(0, this.#stops.lastIndexOf(1, column - 1));
  }

  set(column: number): void {
    this.#stops[column] = 1;
    this.#isDefault = false;
  }

  clear(column: number): void {
    this.#stops[column] = 0;
    this.#isDefault = false;
  }

  clearAll(): void {
    this.#stops.fill(0);
    this.#isDefault = false;
  }

  reset(): void {
    if (this.#isDefault) return;
    for (let column = 0; column < MAX_SIDE_CELLS; column++) {
      this.#stops[column] = column > 0 && column % TAB_WIDTH === 0 ? 1 : 0;
    }
    this.#isDefault = true;
  }
}

export interface Modes {
  isAutowrap: boolean;
  isOrigin: boolean;
  isInsert: boolean;
  /** Cursor home followed by nothing but SGR: erasing from there clears the screen. */
  isHomed: boolean;
}

export interface EmulatorSetup {
  readonly size: Size;
  readonly isStyled: boolean;
  readonly pen: Pen;
  readonly visibility: Visibility;
  readonly modes: Modes;
  readonly charsets: Charsets;
  readonly tabStops?: readonly number[] | undefined;
}

const INITIAL_MODES: Modes = { isAutowrap: true, isOrigin: false, isInsert: false, isHomed: false };
const INITIAL_CHARSETS: Charsets = { g0: false, g1: false, isShifted: false };

export function initialSetup(size: Size, isStyled: boolean): EmulatorSetup {
  const pen = { mark: 0, style: PLAIN_TEXT_STYLE };
  return {
    size,
    isStyled,
    pen,
    visibility: PLAIN_VISIBILITY,
    modes: INITIAL_MODES,
    charsets: INITIAL_CHARSETS,
  };
}

/** Stands for what a program drew on the alternate screen. */
const ALTERNATE_SCREEN_NOTICE = "[a full-screen program drew here]";

/** For output that is not a whole recording. */
export interface ReadingRules {
  /** The alternate screen is read as well, or replaced by a notice. */
  readonly alternate: "drawn" | "notice";
  /** The output is known from its start, and so is the cursor's row. */
  readonly isFromStart: boolean;
}

const WHOLE_RECORDING: ReadingRules = { alternate: "drawn", isFromStart: true };

class DroppedLines extends FinalLines {
  override push(): void {}
}

/** The text of both screens as controls change it; keeps nothing but text. */
export class TextEmulator implements VtHandler {
  readonly pen: Pen;
  readonly modes: Modes;
  readonly tabStops: TabStops;
  readonly screens: TextScreens;
  readonly isStyled: boolean;
  #size: Size;
  #charsets: Charsets;
  #visibility: Visibility;
  #isHidden: boolean;
  readonly #hasNotice: boolean;
  /** Rows here correspond to rows of the terminal's screen. */
  #knowsRow: boolean;

  constructor(
    setup: EmulatorSetup,
    final: FinalLines,
    { alternate, isFromStart }: ReadingRules = WHOLE_RECORDING,
  ) {
    this.#size = setup.size;
    this.isStyled = setup.isStyled;
    this.pen = { ...setup.pen };
    this.modes = { ...setup.modes };
    this.#charsets = setup.charsets;
    this.tabStops = new TabStops(setup.tabStops);
    this.#visibility = setup.visibility;
    this.#isHidden = !isVisible(setup.visibility);
    this.#hasNotice = alternate === "notice";
    this.#knowsRow = isFromStart;
    const drawn = this.#hasNotice ? new DroppedLines() : final;
    this.screens = new TextScreens(setup.size, setup.isStyled, final, drawn);
  }

  get size(): Size {
    return this.#size;
  }

  get setup(): EmulatorSetup {
    return {
      size: this.#size,
      isStyled: this.isStyled,
      pen: { ...this.pen },
      visibility: this.#visibility,
      modes: { ...this.modes },
      charsets: this.#charsets,
      tabStops: this.tabStops.columns,
    };
  }

  get screen(): TextScreen {
    return this.screens.shown;
  }

  handleText(text: string): void {
    const isDrawing = this.#charsets.isShifted ? this.#charsets.g1 : this.#charsets.g0;
    let rest = isDrawing ? toLineDrawing(text) : text;
    if (this.#isHidden) rest = " ".repeat(text.length);
    for (;;) {
      this.#wrapIfPending();
      const room = this.#size.cols - this.screen.cursor.column;
      if (rest.length <= room) return this.#write(rest);
      if (!this.modes.isAutowrap) return this.#writeOntoEdge(rest, room);
      this.#write(rest.slice(0, room));
      rest = rest.slice(room);
    }
  }

  handleCharacter(codePoint: number): void {
    const { cols } = this.#size;
    const character = String.fromCodePoint(codePoint);
    const width = widthOf(codePoint);
    const { cursor } = this.screen;
    if (width === 0) {
      if (this.#isHidden || isInvisible(codePoint)) return;
      if (cursor.column > 0) this.screen.row.putAccent(cursor.column - 1, character, this.pen);
      return;
    }
    if (this.#isHidden) return this.handleText(" ".repeat(width));
    this.#wrapIfPending();
    // On a screen of one column a wide character has to span the edge.
    if (cursor.column > 0 && cursor.column + width > cols) {
      if (!this.modes.isAutowrap) return;
      this.screen.row.erase(cursor.column, Infinity);
      this.screen.wrap();
    }
    const { row } = this.screen;
    if (this.modes.isInsert) row.insert(cursor.column, width, cols);
    row.putCharacter(cursor.column, character, width, this.pen);
    cursor.column = Math.min(cursor.column + width, cols);
  }

  handleControl(code: number): void {
    const { cursor } = this.screen;
    switch (code) {
      case 0x08: // BS
        this.moveToColumn(this.column - 1);
        break;
      case 0x09: // HT
        this.#tab();
        break;
      case 0x0a: // LF
        // Output through a pipe has no CR; on the alternate screen LF moves down (cud1).
        cursor.column = this.screens.alternate ? this.column : 0;
        this.screen.lineFeed();
        break;
      case 0x0b: // VT
      case 0x0c: // FF
      case 0x84: // IND
        cursor.column = this.column;
        this.screen.lineFeed();
        break;
      case 0x0d: // CR
        cursor.column = 0;
        break;
      case 0x0e: // SO
      case 0x0f: // SI
        this.#charsets = { ...this.#charsets, isShifted: code === 0x0e };
        break;
      case 0x85: // NEL
        cursor.column = 0;
        this.screen.lineFeed();
        break;
      case 0x88: // HTS
        this.tabStops.set(this.column);
        break;
      case 0x8d: // RI
        cursor.column = this.column;
        this.screen.reverseLineFeed();
        break;
    }
  }

  handleEscape(name: string): void {
    if (name === "7") this.saveCursor();
    else if (name === "8") this.restoreCursor();
    else if (name === "c") this.reset();
    else if (name.startsWith("(")) this.#charsets = { ...this.#charsets, g0: name === "(0" };
    else if (name.startsWith(")")) this.#charsets = { ...this.#charsets, g1: name === ")0" };
  }

  handleCsi(name: string, csi: Csi): void {
    CSI_FUNCTIONS.get(name)?.(this, csi);
    if (name !== "m") this.modes.isHomed = name === "H" || name === "f";
  }

  /** The last one in pending wrap. */
  get column(): number {
    return Math.min(this.screen.cursor.column, this.#size.cols - 1);
  }

  moveToColumn(column: number): void {
    this.screen.cursor.column = Math.min(Math.max(0, column), this.#size.cols - 1);
  }

  /** Relative to the region in origin mode. */
  moveToRow(row: number): void {
    const { cursor, top, bottom } = this.screen;
    const { isOrigin } = this.modes;
    if (!this.#knowsRow && !this.screens.alternate) this.#finishUnplaced();
    const last = isOrigin ? bottom : this.#size.rows - 1;
    cursor.row = Math.min(isOrigin ? top + row : row, last);
    cursor.column = this.column;
  }

  saveCursor(): void {
    this.screen.saved = {
      ...this.screen.cursor,
      isOrigin: this.modes.isOrigin,
      charsets: this.#charsets,
      style: this.pen.style,
      visibility: this.#visibility,
    };
  }

  selectVisibility(csi: Csi): void {
    this.#setVisibility(selectVisibility(this.#visibility, csi));
  }

  /** A notice line replaces it where it is not read. */
  enterAlternate(savesCursor: boolean): void {
    if (this.#hasNotice && !this.screens.alternate) this.#writeNotice();
    if (savesCursor) this.saveCursor();
    this.screens.enterAlternate();
  }

  /** Text and line ends are appended as they are. */
  get isAppending(): boolean {
    const { isAutowrap, isInsert } = this.modes;
    const { g0, g1 } = this.#charsets;
    if (!isAutowrap || isInsert || g0 || g1 || this.#isHidden || this.screens.alternate)
      return false;
    return this.screen.isAtEnd;
  }

  /** Everything shown becomes final, because that much follows. */
  scrollOut(): void {
    this.screen.finish();
    this.screen.cursor.row = 0;
    this.screen.cursor.column = 0;
  }

  /** Drops what was read so far; returns the text before the cursor, where reading continues. */
  beginHere(): string {
    const { screen } = this;
    const { row, column } = screen.cursor;
    screen.erase(row, column, Infinity);
    screen.eraseRows(row + 1, this.#size.rows);
    screen.finishAbove();
    const { head, text } = screen.row;
    return `${head?.text ?? ""}${text}`;
  }

  restoreCursor(): void {
    const { cursor, saved } = this.screen;
    const place: Cursor = saved ?? { row: 0, column: 0 };
    cursor.row = place.row;
    cursor.column = place.column;
    this.modes.isOrigin = saved?.isOrigin ?? false;
    this.#charsets = saved?.charsets ?? INITIAL_CHARSETS;
    this.pen.style = saved?.style ?? PLAIN_TEXT_STYLE;
    this.#setVisibility(saved?.visibility ?? PLAIN_VISIBILITY);
  }

  /** DECSTR: keeps the text. */
  softReset(): void {
    this.screen.reset();
    Object.assign(this.modes, INITIAL_MODES);
    this.#charsets = INITIAL_CHARSETS;
    this.pen.style = PLAIN_TEXT_STYLE;
    this.#setVisibility(PLAIN_VISIBILITY);
  }

  /** RIS: everything shown becomes final. */
  reset(): void {
    this.screens.finish();
    this.softReset();
    this.tabStops.reset();
    this.screen.cursor.row = 0;
    this.screen.cursor.column = 0;
  }

  resize(size: Size): void {
    this.#size = size;
    this.screens.resize(size);
  }

  #setVisibility(visibility: Visibility): void {
    if (visibility === this.#visibility) return;
    this.#visibility = visibility;
    this.#isHidden = !isVisible(visibility);
  }

  /** Over unwritten columns a tab is kept as a character. */
  #tab(): void {
    const { cursor, row } = this.screen;
    const from = cursor.column;
    if (from < this.#size.cols) this.moveToColumn(this.tabStops.after(from));
    if (!row.isOpenFrom(from)) return;
    if (cursor.column > from) row.putTab(from, cursor.column, this.pen);
    else if (from > 0) row.putAccent(from - 1, "\t", this.pen);
  }

  /** A program addresses a row: earlier text is above all of them, as far as known. */
  #finishUnplaced(): void {
    const { screen } = this;
    this.#knowsRow = true;
    screen.finish();
    if (screen.saved) screen.saved = { ...screen.saved, row: 0 };
  }

  #writeNotice(): void {
    this.#setVisibility(PLAIN_VISIBILITY);
    if (!this.screen.row.isBlank) this.#newLine();
    this.handleText(ALTERNATE_SCREEN_NOTICE);
    this.#newLine();
  }

  #newLine(): void {
    this.screen.cursor.column = 0;
    this.screen.lineFeed();
  }

  #wrapIfPending(): void {
    if (this.screen.cursor.column < this.#size.cols) return;
    if (this.modes.isAutowrap) this.screen.wrap();
    else this.moveToColumn(this.#size.cols);
  }

  #write(text: string): void {
    if (this.modes.isInsert) return this.#insert(text);
    const { cursor, row } = this.screen;
    row.put(cursor.column, text, this.pen);
    cursor.column += text.length;
  }

  /** One by one: chunking must not change what each character pushes off the row. */
  #insert(text: string): void {
    const { cursor, row } = this.screen;
    for (let at = 0; at < text.length; at++) {
      row.insert(cursor.column, 1, this.#size.cols);
      row.put(cursor.column, text.charAt(at), this.pen);
      cursor.column += 1;
    }
  }

  /** Without DECAWM, excess characters overwrite the last column. */
  #writeOntoEdge(text: string, room: number): void {
    const last = this.#size.cols - 1;
    this.#write(text.slice(0, room));
    this.moveToColumn(last);
    // A blank among them may leave the row blank, and then the text begins anew.
    if (/\s/.test(text.slice(room, -1))) this.screen.row.put(last, " ", this.pen);
    this.#write(text.slice(-1));
  }
}
