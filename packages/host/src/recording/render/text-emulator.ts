import { MAX_SIDE_CELLS, type Size } from "@nacre/contracts";
import { widthOf } from "./cells.ts";
import { CSI_FUNCTIONS } from "./csi-functions.ts";
import type { Csi, VtHandler } from "./vt-parser.ts";
import type { FinalLines } from "./rendered-line.ts";
import type { Pen } from "./text-row.ts";
import { type Charsets, type Cursor, type TextScreen, TextScreens } from "./text-screens.ts";
import { PLAIN_TEXT_STYLE } from "./text-style.ts";

/** What the characters from ` to ~ are in the line drawing set of a VT100. */
const SHAPES = "◆▒␉␌␍␊°±␤␋┘┐┌└┼⎺⎻─⎼⎽├┤┴┬│≤≥π≠£·";

const FIRST_SHAPE = 0x60;

/** Text as it looks while line drawing is on. */
function toLineDrawing(text: string): string {
  return text.replace(/[`-~]/g, (letter) => SHAPES[letter.charCodeAt(0) - FIRST_SHAPE] ?? letter);
}

/** Columns between the stops that a terminal has from the start. */
const TAB_WIDTH = 8;

/** Where tabulators stop; columns that are not on the screen have stops too, for when it becomes wider. */
class TabStops {
  readonly #stops = new Uint8Array(MAX_SIDE_CELLS);
  #isDefault = false;

  constructor(columns?: readonly number[]) {
    this.reset();
    if (!columns) return;
    this.clearAll();
    for (const column of columns) this.set(column);
  }

  /** The columns with a stop, or nothing when they are as they were at the start. */
  get columns(): number[] | undefined {
    if (this.#isDefault) return undefined;
    return Array.from(this.#stops.keys()).filter((column) => this.#stops[column] === 1);
  }

  /** The first stop after a column, or infinity. */
  after(column: number): number {
    const stop = this.#stops.indexOf(1, column + 1);
    return stop === -1 ? Infinity : stop;
  }

  /** The last stop before a column, or the first column. */
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

/** Switches that sequences turn on and off. */
export interface Modes {
  isAutowrap: boolean;
  isOrigin: boolean;
  isInsert: boolean;
}

/** What an emulator has besides its screens, as plain JSON. */
export interface EmulatorSetup {
  readonly size: Size;
  readonly isStyled: boolean;
  readonly pen: Pen;
  readonly modes: Modes;
  readonly charsets: Charsets;
  readonly tabStops?: readonly number[] | undefined;
}

const INITIAL_MODES: Modes = { isAutowrap: true, isOrigin: false, isInsert: false };
const INITIAL_CHARSETS: Charsets = { g0: false, g1: false, isShifted: false };

/** What an emulator of this size has when it starts. */
export function initialSetup(size: Size, isStyled: boolean): EmulatorSetup {
  const pen = { mark: 0, style: PLAIN_TEXT_STYLE };
  return { size, isStyled, pen, modes: INITIAL_MODES, charsets: INITIAL_CHARSETS };
}

/** The text of a terminal's two screens as controls and sequences change it; nothing that is not text is kept. */
export class TextEmulator implements VtHandler {
  readonly pen: Pen;
  readonly modes: Modes;
  readonly tabStops: TabStops;
  readonly screens: TextScreens;
  readonly isStyled: boolean;
  #size: Size;
  #charsets: Charsets;

  constructor(setup: EmulatorSetup, final: FinalLines) {
    this.#size = setup.size;
    this.isStyled = setup.isStyled;
    this.pen = { ...setup.pen };
    this.modes = { ...setup.modes };
    this.#charsets = setup.charsets;
    this.tabStops = new TabStops(setup.tabStops);
    this.screens = new TextScreens(setup.size, setup.isStyled, final);
  }

  get size(): Size {
    return this.#size;
  }

  get setup(): EmulatorSetup {
    return {
      size: this.#size,
      isStyled: this.isStyled,
      pen: { ...this.pen },
      modes: { ...this.modes },
      charsets: this.#charsets,
      tabStops: this.tabStops.columns,
    };
  }

  /** The screen that is shown. */
  get screen(): TextScreen {
    return this.screens.shown;
  }

  handleText(text: string): void {
    const isDrawing = this.#charsets.isShifted ? this.#charsets.g1 : this.#charsets.g0;
    let rest = isDrawing ? toLineDrawing(text) : text;
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
      if (cursor.column > 0) this.screen.row.putAccent(cursor.column - 1, character, this.pen);
      return;
    }
    this.#wrapIfPending();
    // On a screen of one column a wide character has to stand across the edge.
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
        if (cursor.column < this.#size.cols) this.moveToColumn(this.tabStops.after(cursor.column));
        break;
      case 0x0a: // LF
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
  }

  /** The column of the cursor, which is on the last one while it waits to wrap. */
  get column(): number {
    return Math.min(this.screen.cursor.column, this.#size.cols - 1);
  }

  moveToColumn(column: number): void {
    this.screen.cursor.column = Math.min(Math.max(0, column), this.#size.cols - 1);
  }

  /** Moves to a row as programs count them, which is from the top of the region in origin mode. */
  moveToRow(row: number): void {
    const { cursor, top, bottom } = this.screen;
    const { isOrigin } = this.modes;
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
    };
  }

  restoreCursor(): void {
    const { cursor, saved } = this.screen;
    const place: Cursor = saved ?? { row: 0, column: 0 };
    cursor.row = place.row;
    cursor.column = place.column;
    this.modes.isOrigin = saved?.isOrigin ?? false;
    this.#charsets = saved?.charsets ?? INITIAL_CHARSETS;
    this.pen.style = saved?.style ?? PLAIN_TEXT_STYLE;
  }

  /** Puts everything that a program may have changed back, but leaves the text. */
  softReset(): void {
    this.screen.reset();
    Object.assign(this.modes, INITIAL_MODES);
    this.#charsets = INITIAL_CHARSETS;
    this.pen.style = PLAIN_TEXT_STYLE;
  }

  /** Makes all that is shown final and starts again. */
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

  /** One by one, because where a text was cut must not matter for what each character pushes off the row. */
  #insert(text: string): void {
    const { cursor, row } = this.screen;
    for (let at = 0; at < text.length; at++) {
      row.insert(cursor.column, 1, this.#size.cols);
      row.put(cursor.column, text.charAt(at), this.pen);
      cursor.column += 1;
    }
  }

  /** Without wrapping all that does not fit is written onto the last column, each character over the one before. */
  #writeOntoEdge(text: string, room: number): void {
    const last = this.#size.cols - 1;
    this.#write(text.slice(0, room));
    this.moveToColumn(last);
    // A blank among them may leave the row blank, and then the text begins anew.
    if (/\s/.test(text.slice(room, -1))) this.screen.row.put(last, " ", this.pen);
    this.#write(text.slice(-1));
  }
}
