import { MAX_SIDE_CELLS } from "@nacre/contracts";

/** Columns between the stops that a terminal has from the start. */
const TAB_WIDTH = 8;

/** Where tabulators stop; columns that are not on the screen have stops too, for when it becomes wider. */
export class TabStops {
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
