/** Cells are strings, one for each column; the second column of a wide character is the empty string. */
import { widthOf } from "./character-width.ts";

/** Accents beyond this are dropped, so that a cell cannot grow without bound; the flag of a region needs 14 units. */
export const MAX_CELL_LENGTH = 16;

/** Splits text into cells; an accent without a character before it is dropped. */
export function toCells(text: string): string[] {
  const cells: string[] = [];
  for (const character of text) {
    const width = widthOf(character.codePointAt(0) ?? 0);
    if (width === 0) addAccent(cells, cells.length - 1, character);
    else cells.push(character);
    if (width === 2) cells.push("");
  }
  return cells;
}

/** Joins an accent, or whatever else takes no column, to the character in one. */
export function addAccent(cells: string[], column: number, accent: string): void {
  const at = cells[column] === "" ? column - 1 : column;
  const cell = cells[at];
  if (cell !== undefined && cell.length + accent.length <= MAX_CELL_LENGTH)
    cells[at] = cell + accent;
}

/** Blanks both halves of a wide character that stands across the left edge of this column. */
export function splitAt(cells: string[], column: number): void {
  if (cells[column] !== "") return;
  cells[column - 1] = " ";
  cells[column] = " ";
}

/** Makes the cells reach up to a column. */
export function padTo(cells: string[], column: number): void {
  while (cells.length < column) cells.push(" ");
}
