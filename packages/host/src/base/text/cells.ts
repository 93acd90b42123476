/**
 * Cells are strings, one per column; the second column of a wide character, and all but the first of a tab, are empty.
 */

/** 0 for combining characters, 2 for East Asian wide ones and emoji. */
type CharacterWidth = 0 | 1 | 2;

/**
 * Marks, joiners, variation selectors and format characters; Hangul vowels and finals join the syllable before them.
 */
const NO_WIDTH = /[\p{Mn}\p{Me}\p{Cf}\u1160-\u11ff\ud7b0-\ud7ff]/u;

/** East Asian Wide, and emoji presentation; a regional indicator is narrow. */
const WIDE =
  /(?![\u{1f1e6}-\u{1f1ff}])[\p{Emoji_Presentation}\u1100-\u115f\u2329\u232a\u2e80-\u303e\u3041-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d8f}\u{1aff0}-\u{1b2ff}\u{1f200}-\u{1f265}\u{20000}-\u{3fffd}]/u;

/** Joiners, variation selectors, directional marks, tags, fillers, line separators, lone surrogates. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cs}\p{Zl}\p{Zp}\ufff9-\ufffb]/u;
const ALL_INVISIBLE = new RegExp(INVISIBLE, "gu");

export const withoutInvisible = (text: string): string => text.replaceAll(ALL_INVISIBLE, "");

/** Zero width and not text, unlike a combining mark. */
export const isInvisible = (codePoint: number): boolean =>
  INVISIBLE.test(String.fromCodePoint(codePoint));

/** No combining mark is below this. */
const FIRST_ACCENT = 0x300;

const SOFT_HYPHEN = 0xad;

/** Code points in one UTF-16 unit. */
const UNITS = 0x10000;

/** Facts per UTF-16 unit; the first three are its width plus 1. */
const NO_WIDTH_UNIT = 1;
const NARROW_UNIT = 2;
const WIDE_UNIT = 3;
const CONTROL_OR_HALF = 4;

/** Filled on demand, because looking up all units would take longer than most recordings. */
const KNOWN_UNITS = new Uint8Array(UNITS);

export function widthOf(codePoint: number): CharacterWidth {
  if (codePoint >= UNITS) return measure(codePoint);
  const known = knowUnit(codePoint);
  if (known === NO_WIDTH_UNIT) return 0;
  return known === WIDE_UNIT ? 2 : 1;
}

/** End of a run of characters that are one UTF-16 unit, one column and no control. */
export function endOfNarrowRun(text: string, from: number): number {
  let at = from;
  do {
    while (at < text.length && KNOWN_UNITS[text.charCodeAt(at)] === NARROW_UNIT) at++;
  } while (at < text.length && knowUnit(text.charCodeAt(at)) === NARROW_UNIT);
  return at;
}

function knowUnit(unit: number): number {
  const known = KNOWN_UNITS[unit];
  if (known) return known;
  const isControl = unit < 0x20 || (unit >= 0x7f && unit < 0xa0);
  const isHalf = unit >= 0xd800 && unit < 0xe000;
  return (KNOWN_UNITS[unit] = isControl || isHalf ? CONTROL_OR_HALF : 1 + measure(unit));
}

function measure(codePoint: number): CharacterWidth {
  if (codePoint === SOFT_HYPHEN) return 0;
  if (codePoint < FIRST_ACCENT) return 1;
  const character = String.fromCodePoint(codePoint);
  if (NO_WIDTH.test(character) || INVISIBLE.test(character)) return 0;
  return WIDE.test(character) ? 2 : 1;
}

/** Further marks are dropped, so that a cell is bounded; a regional flag needs 14 units. */
export const MAX_CELL_LENGTH = 16;

/** In stored text: a further column of a tab, and a tab that took none at the edge. */
const TAB_COLUMN = "\v";
const EDGE_TAB = "\f";

/** For `toCells`. */
export function storeCells(cells: readonly string[]): string[] {
  return cells.map((cell, at) => {
    if (cell === "" && isInTab(cells, at)) return TAB_COLUMN;
    return cell.slice(0, 1) + cell.slice(1).replaceAll("\t", EDGE_TAB);
  });
}

function isInTab(cells: readonly string[], column: number): boolean {
  return cells[leadOf(cells, column)]?.startsWith("\t") ?? false;
}

/** The column in which the character of this one begins. */
function leadOf(cells: readonly string[], column: number): number {
  let at = column;
  while (at > 0 && cells[at] === "") at--;
  return at;
}

/** Drops a mark without a base. */
export function toCells(text: string): string[] {
  const cells: string[] = [];
  for (const character of text) {
    if (character === EDGE_TAB) {
      addAccent(cells, cells.length - 1, "\t");
      continue;
    }
    if (character === "\t" || character === TAB_COLUMN) {
      cells.push(character === "\t" ? character : "");
      continue;
    }
    const width = widthOf(character.codePointAt(0) ?? 0);
    if (width === 0) addAccent(cells, cells.length - 1, character);
    else cells.push(character);
    if (width === 2) cells.push("");
  }
  return cells;
}

export function addAccent(cells: string[], column: number, accent: string): void {
  if (accent !== "\t" && isInTab(cells, column)) blankCharacter(cells, column);
  const at = leadOf(cells, column);
  const cell = cells[at];
  if (cell !== undefined && cell.length + accent.length <= MAX_CELL_LENGTH)
    cells[at] = cell + accent;
}

/** Blanks a wide character or a tab that spans this column's left edge. */
export function splitAt(cells: string[], column: number): void {
  if (cells[column] === "") blankCharacter(cells, column);
}

/** Blanks the multi-column character in this one. */
function blankCharacter(cells: string[], column: number): void {
  const lead = leadOf(cells, column);
  let end = lead + 1;
  while (cells[end] === "") end++;
  cells.fill(" ", lead, end);
}

/** Without marks; a tab is a blank. */
export function characterAt(cells: readonly string[] | string, column: number): string {
  const character = typeof cells === "string" ? cells[column] : cells[leadOf(cells, column)];
  return character === undefined || character.startsWith("\t") ? " " : character;
}

export function padTo(cells: string[], column: number): void {
  while (cells.length < column) cells.push(" ");
}

export function isBlank(text: string): boolean {
  return !isSurelyVisible(text.charCodeAt(0)) && text.trim() === "";
}

export function withoutTrailingBlanks(text: string): string {
  return isSurelyVisible(text.charCodeAt(text.length - 1)) ? text : text.trimEnd();
}

export function countLeadingBlanks(text: string): number {
  return isSurelyVisible(text.charCodeAt(0)) ? 0 : text.length - text.trimStart().length;
}

/** Checking one character is much cheaper than trimming, and most texts begin and end with a visible one. */
function isSurelyVisible(unit: number): boolean {
  return unit > 0x20 && unit < 0xa0;
}
