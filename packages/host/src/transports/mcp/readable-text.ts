// Text for models: what a person would read of an output, with nothing in it that only a machine sees.
import { TextVisibility } from "./text-visibility.ts";

/** Farther right nothing is written that anybody reads. */
const MAX_COLUMN = 4096;

/** How many blanks may still be made of moves: a few bytes ask for thousands, and all together must fit in memory. */
interface BlankBudget {
  blanks: number;
}

/** One line as it is being written: what is written later replaces what stood there. */
class ReadableLine {
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

/** Enough for a few wide rows, however short the output is. */
const MIN_BLANKS = 4096;

/** A program can go back to what is still on the screen; few screens are higher. */
const MAX_OPEN_LINES = 64;

/** Lines as they are written; the newest can still be gone back to, as progress in several lines does. */
class ReadableLines {
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

/** Escape sequences, whole or cut off at the end, and the control characters that move. */
const TOKENS =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~]?)|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?|[\n\r\b\u2028\u2029]/gu;

/** Backspace, carriage return and the CSI sequences that move, erase, insert or delete within a line. */
// oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
const MOVES_IN_LINE = /[\b\r]|(?:\u001b\[|\u009b)[0-9;]*[@CDGJKP]/u;

/** What has no place on a screen: controls but for tabs, characters without width, writing directions, tags, annotations, halves of characters. */
const INVISIBLE = /[\p{Default_Ignorable_Code_Point}\p{Cs}\ufff9-\ufffb]|(?!\t)\p{Cc}/gu;

/** Stands for what a program drew on a screen of its own, which is gone when it ends. */
const ALTERNATE_SCREEN_NOTICE =
  "[drawn on the whole screen; terminal_screen shows it while it is there]";

/** Modes that give a program a screen of its own. */
const ALTERNATE_SCREEN_MODE = /^\?(?:\d+;)*(?:47|1047|1049)(?:;|$)/;

/**
 * What a person reads of this output: overwritten, erased, hidden and invisible text is left out, and so is everything that
 * only acts. `before` is the output right before it: a line editor redraws with columns that count from the left of the
 * screen, where its prompt stands.
 */
export function readableText(output: string, before = ""): string {
  const writer = new ReadableWriter(before.length + output.length);
  writer.take(before);
  writer.omitBefore();
  writer.take(output);
  return writer.text;
}

/** Whether what is read of the first line depends on the column it begins at. */
export const dependsOnColumn = (output: string): boolean =>
  MOVES_IN_LINE.test(output.slice(0, output.search(/\n|$/)).replace(/\r$/, ""));

/** What a person reads of an output whose middle is left out: neither end can hide the other, or the line between them. */
export function readableEnds(output: string, notice: string, before?: string): string {
  const at = output.indexOf(notice);
  if (at < 0) return readableText(output, before);
  const head = readableText(output.slice(0, at), before);
  return `${head}${notice}${readableText(output.slice(at + notice.length))}`;
}

class ReadableWriter {
  readonly #lines: ReadableLines;
  readonly #style = new TextVisibility();
  #isAlternateScreen = false;

  constructor(length: number) {
    this.#lines = new ReadableLines(length);
  }

  get text(): string {
    return this.#lines.text;
  }

  take(output: string): void {
    let from = 0;
    for (const token of output.matchAll(TOKENS)) {
      this.write(output.slice(from, token.index));
      this.act(token);
      from = token.index + token[0].length;
    }
    this.write(output.slice(from));
  }

  omitBefore(): void {
    this.#lines.omitBefore();
  }

  write(text: string): void {
    if (text === "" || this.#isAlternateScreen) return;
    const seen = text.replaceAll(INVISIBLE, "");
    if (this.#style.isVisible) this.#lines.line.put(seen);
    else this.#lines.line.cover(seen);
  }

  act([token, parameters, final]: RegExpMatchArray): void {
    if (final === "h" || final === "l") return this.#setMode(parameters ?? "", final === "h");
    if (final === "m") return this.#style.applySgr(parameters ?? "");
    if (this.#isAlternateScreen) return;
    if (final !== undefined) return this.#move(parameters ?? "", final);
    if (token === "\r") this.#lines.line.moveTo(0);
    if (token === "\b") this.#lines.line.moveBy(-1);
    if (/^[\n\u2028\u2029]$/u.test(token)) this.#lines.feed();
  }

  #setMode(parameters: string, isSet: boolean): void {
    if (!ALTERNATE_SCREEN_MODE.test(parameters) || this.#isAlternateScreen === isSet) return;
    this.#isAlternateScreen = isSet;
    if (!isSet) return;
    this.#lines.begin();
    this.#lines.line.put(ALTERNATE_SCREEN_NOTICE);
    this.#lines.feed();
  }

  #move(parameters: string, final: string): void {
    const lines = this.#lines;
    const number = Number.parseInt(parameters, 10) || 0;
    const count = Math.max(1, number);
    switch (final) {
      case "A":
      case "F":
        return lines.up(count, final === "F");
      case "B":
      case "E":
        return lines.down(count, final === "E");
      case "C":
        return lines.line.moveBy(count);
      case "D":
        return lines.line.moveBy(-count);
      case "G":
        return lines.line.moveTo(count - 1);
      case "K":
        return lines.line.erase(number);
      case "J":
        return number === 0 ? lines.eraseBelow() : undefined;
      case "H":
      case "d":
      case "f":
        // Where the screen began is not known: what is written at a place of it is a line of its own.
        return lines.begin();
      default:
    }
  }
}
