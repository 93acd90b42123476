// Cells as displayed, independent of how xterm.js happens to store them.
import { characterWidth } from "./xterm-patches.ts";
import {
  BG,
  type BufferLine,
  CELL_NUMBERS,
  COLOR,
  CONTENT,
  EXTENDED,
  FG,
} from "./xterm-internals.ts";

/** Neighbouring cells of the same width and style. */
export interface CellRun {
  readonly text: string;
  /** One grapheme per cell. */
  readonly characters: readonly string[];
  /** In columns. */
  readonly width: number;
  readonly style: CellStyle;
}

/** Without trailing blanks of default style. */
export function readRuns(line: BufferLine, cols: number): readonly CellRun[] {
  const runs: CellRun[] = [];
  let letters: string[] = [];
  let width: Cell["width"] = 1;
  let style = PLAIN_CELL_STYLE;
  const finish = (): void => {
    if (letters.length === 0) return;
    runs.push({
      text: letters.join(""),
      characters: letters,
      width: letters.length * width,
      style,
    });
    letters = [];
  };
  for (const cell of readCells(line, cols)) {
    const shown = visibleStyle(cell);
    if (cell.width !== width || !isSameCellStyle(shown, style)) finish();
    width = cell.width;
    style = shown;
    letters.push(cell.text === "" ? " " : cell.text);
  }
  finish();
  return dropTrailingBlanks(runs);
}

/** Only spaces; other white space was written on purpose. */
export const trimTrailingSpaces = (text: string): string => text.replace(/ +$/, "");

function dropTrailingBlanks(runs: CellRun[]): readonly CellRun[] {
  const last = runs.at(-1);
  if (!last || !isSameCellStyle(last.style, PLAIN_CELL_STYLE)) return runs;
  const used = last.characters.findLastIndex((letter) => letter !== " ") + 1;
  if (used === last.characters.length) return runs;
  runs.pop();
  const letters = last.characters.slice(0, used);
  if (used > 0) runs.push({ ...last, text: letters.join(""), characters: letters, width: used });
  return runs;
}

export interface CellStyle {
  /** Foreground colour and flags, without underline. */
  readonly fg: number;
  /** Background colour and flags. */
  readonly bg: number;
  /** 0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed. */
  readonly underline: number;
  /** 0: the colour of the text. */
  readonly underlineColor: number;
}

export interface Cell {
  /** Empty where nothing was written. */
  readonly text: string;
  /** 2: a wide character. */
  readonly width: 1 | 2;
  readonly style: CellStyle;
}

export const PLAIN_CELL_STYLE: CellStyle = { fg: 0, bg: 0, underline: 0, underlineColor: 0 };

/** Flags that are visible on a cell without text. */
const SHOWN_WITHOUT_TEXT = FG.inverse | FG.strike;

/** Up to the last cell with any content. */
export function readCells(line: BufferLine, cols: number): readonly Cell[] {
  const cells: Cell[] = [];
  const styles = new StyleReader(line);
  const used = usedColumns(line, cols);
  for (let column = 0; column < used;) {
    const cell = readCell(line, { column, cols, style: styles.at(column) });
    cells.push(cell);
    column += cell.width;
  }
  return cells;
}

function usedColumns({ _data: data }: BufferLine, cols: number): number {
  for (let column = cols; column > 0; column--) {
    const at = (column - 1) * CELL_NUMBERS;
    const content = data[at] ?? 0;
    if ((content & CONTENT.any) !== 0 || content >>> CONTENT.widthShift !== 1) return column;
    if (data[at + 1] !== 0 || data[at + 2] !== 0) return column;
  }
  return 0;
}

function readCell(
  line: BufferLine,
  { column, cols, style }: { column: number; cols: number; style: CellStyle },
): Cell {
  const content = contentAt(line, column);
  const width = content >>> CONTENT.widthShift;
  const text = readCellText(line, column, content);
  if (width !== 2) return { text, width: 1, style };
  const other = column + 1 < cols ? contentAt(line, column + 1) : EMPTY;
  const isWhole = other >>> CONTENT.widthShift === 0 && (other & CONTENT.any) === 0;
  // Half a wide character cannot be displayed.
  return isWhole ? { text, width: 2, style } : { text: "", width: 1, style };
}

const EMPTY = 1 << CONTENT.widthShift;

const contentAt = (line: BufferLine, column: number): number =>
  line._data[column * CELL_NUMBERS] ?? EMPTY;

function readCellText(line: BufferLine, column: number, content: number): string {
  if ((content & CONTENT.combined) !== 0) return withBaseCharacter(line._combined[column] ?? "");
  const codePoint = content & CONTENT.codePoint;
  return codePoint === 0 ? "" : withBaseCharacter(String.fromCodePoint(codePoint));
}

/** Combining marks without a base get a blank. */
const withBaseCharacter = (text: string): string =>
  characterWidth(text.codePointAt(0) ?? 0) === 0 ? ` ${text}` : text;

/** Interns styles of neighbours, so that they compare by identity. */
class StyleReader {
  readonly #line: BufferLine;
  #last = PLAIN_CELL_STYLE;

  constructor(line: BufferLine) {
    this.#line = line;
  }

  at(column: number): CellStyle {
    const at = column * CELL_NUMBERS;
    const foreground = this.#line._data[at + 1] ?? 0;
    const background = this.#line._data[at + 2] ?? 0;
    const ext =
      (background & BG.extended) === 0 ? 0 : (this.#line._extendedAttrs[column]?.ext ?? 0);
    const style = decodeCellStyle(foreground, background, ext);
    if (!isSameCellStyle(style, this.#last)) this.#last = style;
    return this.#last;
  }
}

export function decodeCellStyle(foreground: number, background: number, ext: number): CellStyle {
  const isUnderlined = (foreground & FG.underline) !== 0;
  const kind = (ext & EXTENDED.underlineStyle) >>> EXTENDED.underlineShift;
  return {
    fg: normalizeColor((foreground & ~FG.underline) >>> 0),
    bg: normalizeColor((background & ~BG.extended) >>> 0),
    underline: isUnderlined ? Math.max(1, kind) : 0,
    underlineColor: isUnderlined ? normalizeColor(ext & EXTENDED.color) : 0,
  };
}

/** Drops bits that an earlier colour left beside the present one. */
function normalizeColor(value: number): number {
  switch (value & COLOR.mode) {
    case COLOR.rgb:
      return value;
    case 0:
      return (value & ~COLOR.value) >>> 0;
    default:
      return (value & ~(COLOR.value & ~0xff)) >>> 0;
  }
}

export const isSameCellStyle = (one: CellStyle, other: CellStyle): boolean =>
  one.fg === other.fg &&
  one.bg === other.bg &&
  one.underline === other.underline &&
  one.underlineColor === other.underlineColor;

/** Only its background is visible. */
export const isBackgroundOnly = ({ text, style }: Cell): boolean =>
  (text === "" || text === " ") &&
  (style.fg & SHOWN_WITHOUT_TEXT) === 0 &&
  (style.bg & BG.overline) === 0 &&
  style.underline === 0;

/** The part of the style that is visible on this cell. */
function visibleStyle(cell: Cell): CellStyle {
  const { style } = cell;
  const bg = (style.bg & ~BG.protected) >>> 0;
  if (!isBackgroundOnly(cell)) return bg === style.bg ? style : { ...style, bg };
  const color = (bg & (COLOR.mode | COLOR.value)) >>> 0;
  return color === 0 ? PLAIN_CELL_STYLE : { ...PLAIN_CELL_STYLE, bg: color };
}
