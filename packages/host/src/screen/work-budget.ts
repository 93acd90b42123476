import type { Core } from "./xterm-internals.ts";

/** Cells that a byte of output pays for: who draws a screen of 200 by 60 anew by 200 bytes, over and over, stays far below. */
export const CELLS_PER_BYTE = 512;

/** What may be spent at once, in cells: the largest screen 16 times. */
export const MAX_CREDIT_CELLS = 16 * 1000 * 1000;

/** Cells with marks on their letter, in all lines of a screen; each takes about 200 bytes of memory. */
export const MAX_MARKED_CELLS = 64 * 1024;

/** Marks that are left out before cells are counted again. */
const MARKS_BETWEEN_COUNTS = MAX_MARKED_CELLS / 4;

/**
 * What drawing one screen may cost: work grows with the bytes that a program wrote, whatever they say, and memory is
 * bounded. A sequence or a mark that goes beyond is left out, and the screen is degraded from then on.
 */
export class WorkBudget {
  /** Whether anything was left out. */
  isExceeded = false;
  #credit = MAX_CREDIT_CELLS;
  #spent = 0;
  #markedCells = 0;
  #marksLeftOut = 0;

  /** Cells that were written for dear sequences so far. */
  get spentCells(): number {
    return this.#spent;
  }

  /** More bytes came. */
  earn(bytes: number): void {
    this.#credit = Math.min(MAX_CREDIT_CELLS, this.#credit + bytes * CELLS_PER_BYTE);
  }

  /** Pays for a sequence that writes so many cells; false when it must be left out. */
  spend(cells: number): boolean {
    if (cells > this.#credit) {
      this.isExceeded = true;
      return false;
    }
    this.#credit -= cells;
    this.#spent += cells;
    return true;
  }

  /** Takes a place for the first mark on a letter; false when it must be left out. */
  takeMark(core: Core): boolean {
    if (this.#markedCells < MAX_MARKED_CELLS) {
      this.#markedCells++;
      return true;
    }
    // Cells that were written over or scrolled out are free again; counting takes time.
    if (this.#marksLeftOut === 0) this.#markedCells = countMarked(core);
    if (this.#markedCells < MAX_MARKED_CELLS) return this.takeMark(core);
    this.#marksLeftOut = (this.#marksLeftOut + 1) % MARKS_BETWEEN_COUNTS;
    this.isExceeded = true;
    return false;
  }
}

function countMarked({ _bufferService: { buffers } }: Core): number {
  let count = 0;
  for (const { lines } of [buffers.normal, buffers.alt]) {
    for (let index = 0; index < lines.length; index++) {
      count += Object.keys(lines.get(index)?._combined ?? {}).length;
    }
  }
  return count;
}
