import {
  type Cell,
  isSameCellStyle,
  PLAIN_CELL_STYLE,
  readCells,
  visibleStyle,
  type CellStyle,
} from "./cell.ts";
import type { BufferLine } from "./xterm-internals.ts";

/** Neighbouring cells of the same width and look. */
export interface CellRun {
  readonly text: string;
  /** What stands in each cell, a letter with its marks. */
  readonly characters: readonly string[];
  /** Columns it takes. */
  readonly width: number;
  readonly style: CellStyle;
}

/** A line as runs, without the plain blanks at its end. */
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

/** Text without the spaces at its end; other white space was written on purpose. */
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
