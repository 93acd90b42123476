// Text for models: what a person would read of an output, with nothing in it that only a machine sees.
import { ReadableLines } from "./readable-lines.ts";
import { TextVisibility } from "./seen-style.ts";

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
