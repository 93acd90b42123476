import { type BlankBudget, ReadableLine } from "./readable-line.ts";

/** Enough for a few wide rows, however short the output is. */
const MIN_BLANKS = 4096;

/** A program can go back to what is still on the screen; few screens are higher. */
const MAX_OPEN_LINES = 64;

/** Lines as they are written; the newest can still be gone back to, as progress in several lines does. */
export class ReadableLines {
  readonly #budget: BlankBudget;
  readonly #done: string[] = [];
  readonly #open: ReadableLine[];
  #row = 0;

  /** @param length How much was written to make them, which bounds how many blanks they may have. */
  constructor(length: number) {
    this.#budget = { blanks: MIN_BLANKS + length };
    this.#open = [new ReadableLine(this.#budget)];
  }

  get text(): string {
    return [...this.#done, ...this.#open.map(({ text }) => text)].join("\n");
  }

  /** The line that is written now. */
  get line(): ReadableLine {
    return (this.#open[this.#row] ??= new ReadableLine(this.#budget));
  }

  /** Leaves out everything up to here; the line that is written now goes on at its column. */
  omitBefore(): void {
    const { line } = this;
    line.hide();
    this.#done.length = 0;
    this.#open.splice(0, this.#open.length, line);
    this.#row = 0;
  }

  /** Goes to the beginning of the next line. */
  feed(): void {
    this.#row++;
    this.line.moveTo(0);
    if (this.#open.length <= MAX_OPEN_LINES) return;
    this.#done.push(this.#open.shift()?.text ?? "");
    this.#row--;
  }

  /** Goes to a line with nothing in it, below all others. */
  begin(): void {
    this.#row = this.#open.length - 1;
    if (!this.line.isEmpty) this.feed();
  }

  up(count: number, toBeginning: boolean): void {
    this.#go(this.#row - count, toBeginning);
  }

  /** Goes down among the lines there are. */
  down(count: number, toBeginning: boolean): void {
    this.#go(this.#row + count, toBeginning);
  }

  /** Erases what comes behind the place that is written now. */
  eraseBelow(): void {
    this.line.erase(0);
    this.#open.length = this.#row + 1;
  }

  #go(row: number, toBeginning: boolean): void {
    const { column } = this.line;
    this.#row = Math.max(0, Math.min(row, this.#open.length - 1));
    this.line.moveTo(toBeginning ? 0 : column);
  }
}
