import type { Core } from "./xterm-internals.ts";

/** Cells paid for by a byte of output: redrawing 200 by 60 cells with 200 bytes, over and over, stays far below. */
export const CELLS_PER_BYTE = 512;

/** The largest screen 16 times. */
export const MAX_CREDIT_CELLS = 16 * 1000 * 1000;

/** Cells with combining marks, over all lines; each costs about 200 bytes. */
export const MAX_MARKED_CELLS = 64 * 1024;

/** Dropped marks before cells are counted again. */
const MARKS_BETWEEN_COUNTS = MAX_MARKED_CELLS / 4;

/**
 * Bounds the work for one screen by the bytes a program wrote, whatever they say, and bounds its memory. A sequence or
 * mark beyond that is skipped, and the screen is degraded from then on.
 */
export class WorkBudget {
  isExceeded = false;
  #credit = MAX_CREDIT_CELLS;
  #spent = 0;
  #markedCells = 0;
  #marksLeftOut = 0;

  /** Cells written by costly sequences. */
  get spentCells(): number {
    return this.#spent;
  }

  earn(bytes: number): void {
    this.#credit = Math.min(MAX_CREDIT_CELLS, this.#credit + bytes * CELLS_PER_BYTE);
  }

  /** False: skip the sequence. */
  spend(cells: number): boolean {
    if (cells > this.#credit) {
      this.isExceeded = true;
      return false;
    }
    this.#credit -= cells;
    this.#spent += cells;
    return true;
  }

  /** For the first combining mark in a cell; false: skip it. */
  takeMark(core: Core): boolean {
    if (this.#markedCells < MAX_MARKED_CELLS) {
      this.#markedCells++;
      return true;
    }
    // Overwritten and scrolled-out cells are free again, but counting takes time.
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
