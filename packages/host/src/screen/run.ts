import { type Cell, isSameStyle, PLAIN_STYLE, readCells, shownStyle, type Style } from "./cell.ts";
import type { BufferLine } from "./xterm-internals.ts";

/** Neighbouring cells of the same width and look. */
export interface Run {
  readonly text: string;
  /** What stands in each cell, a letter with its marks. */
  readonly letters: readonly string[];
  /** Columns it takes. */
  readonly width: number;
  readonly style: Style;
}

/** A line as runs, without the plain blanks at its end. */
export function readRuns(line: BufferLine, cols: number): readonly Run[] {
  const runs: Run[] = [];
  let letters: string[] = [];
  let width: Cell["width"] = 1;
  let style = PLAIN_STYLE;
  const finish = (): void => {
    if (letters.length === 0) return;
    runs.push({ text: letters.join(""), letters, width: letters.length * width, style });
    letters = [];
  };
  for (const cell of readCells(line, cols)) {
    const shown = shownStyle(cell);
    if (cell.width !== width || !isSameStyle(shown, style)) finish();
    width = cell.width;
    style = shown;
    letters.push(cell.text === "" ? " " : cell.text);
  }
  finish();
  return withoutBlankEnd(runs);
}

/** Text without the spaces at its end; other white space was written on purpose. */
export const withoutBlanksAtEnd = (text: string): string => text.replace(/ +$/, "");

function withoutBlankEnd(runs: Run[]): readonly Run[] {
  const last = runs.at(-1);
  if (!last || !isSameStyle(last.style, PLAIN_STYLE)) return runs;
  const used = last.letters.findLastIndex((letter) => letter !== " ") + 1;
  if (used === last.letters.length) return runs;
  runs.pop();
  const letters = last.letters.slice(0, used);
  if (used > 0) runs.push({ ...last, text: letters.join(""), letters, width: used });
  return runs;
}
