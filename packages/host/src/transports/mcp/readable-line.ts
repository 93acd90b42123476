/** Farther right nothing is written that anybody reads. */
const MAX_COLUMN = 4096;

/** How many blanks may still be made of moves: a few bytes ask for thousands, and all together must fit in memory. */
export interface BlankBudget {
  blanks: number;
}

/** One line as it is being written: what is written later replaces what stood there. */
export class ReadableLine {
  readonly #budget: BlankBudget;
  readonly #characters: string[] = [];
  #column = 0;

  constructor(budget: BlankBudget) {
    this.#budget = budget;
  }

  get isEmpty(): boolean {
    return this.#characters.length === 0;
  }

  get text(): string {
    return this.#characters.join("");
  }

  get column(): number {
    return this.#column;
  }

  /** Hides what stands here and keeps its columns, for what is written from here on. */
  hide(): void {
    this.#characters.fill("");
  }

  /** Writes what nobody sees: it only hides what stood there. */
  cover(text: string): void {
    for (const _ of text) {
      if (this.#column < this.#characters.length) this.#characters[this.#column++] = " ";
    }
  }

  put(text: string): void {
    for (const character of text) {
      this.#fill();
      this.#characters[this.#column++] = character;
    }
  }

  /** Goes to a column, 0 at the left. */
  moveTo(column: number): void {
    this.#column = Math.max(0, Math.min(column, MAX_COLUMN));
  }

  moveBy(columns: number): void {
    this.moveTo(this.#column + columns);
  }

  /** Erases to the end (0), from the beginning (1) or everything (2), as terminals count. */
  erase(part: number): void {
    if (part === 0) this.#characters.length = Math.min(this.#characters.length, this.#column);
    if (part === 1) this.#characters.fill(" ", 0, this.#column + 1);
    if (part === 2) this.#characters.length = 0;
  }

  /** Makes blanks up to the column, or as far as they go. */
  #fill(): void {
    while (this.#characters.length < this.#column && this.#budget.blanks > 0) {
      this.#characters.push(" ");
      this.#budget.blanks--;
    }
    this.#column = Math.min(this.#column, this.#characters.length);
  }
}
