/** What is kept of a session's output for who comes later; older output is in the recording. */
export const MAX_SCROLLBACK_LENGTH = 50_000;

const ENTER_ALTERNATE = "\u001b[?1049h";

/** Room for what says on which screen the rest was written. */
const MAX_KEPT_LENGTH = MAX_SCROLLBACK_LENGTH - ENTER_ALTERNATE.length;

/** Whole escape sequences, of which those that change between the two screens say how, and line ends outside of them. */
const TOKENS =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /\u001b\[\?(?:1049|1047|47)([hl])|\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])|\n/g;

/** The newest output of one session. It begins at a line, or where there is none at a character; never inside an escape sequence, and on the screen it was written on. */
export class Scrollback {
  #text = "";
  #isAlternate = false;

  get text(): string {
    this.#trim();
    return this.#isAlternate ? `${ENTER_ALTERNATE}${this.#text}` : this.#text;
  }

  /** Adds output, which ends neither inside a character nor inside an escape sequence. */
  push(output: string): void {
    this.#text += output;
    // Searching for a place to cut costs as much as there is, so it is not done every time.
    if (this.#text.length > 2 * MAX_SCROLLBACK_LENGTH) this.#trim();
  }

  #trim(): void {
    const from = this.#text.length - MAX_KEPT_LENGTH;
    if (from <= 0) return;
    let cut = from;
    let isAlternate = this.#isAlternate;
    let wasAlternate = isAlternate;
    for (const { 0: token, 1: switched, index } of this.#text.matchAll(TOKENS)) {
      const end = index + token.length;
      if (token === "\n" && end >= from) {
        this.#keep(end, isAlternate);
        return;
      }
      if (switched) isAlternate = switched === "h";
      if (index >= from) continue;
      // Where no line follows, it begins behind the sequence that is in the way.
      cut = Math.max(from, end);
      wasAlternate = isAlternate;
    }
    this.#keep(isLowSurrogate(this.#text.charCodeAt(cut)) ? cut + 1 : cut, wasAlternate);
  }

  #keep(from: number, isAlternate: boolean): void {
    this.#text = this.#text.slice(from);
    this.#isAlternate = isAlternate;
  }
}

const isLowSurrogate = (unit: number): boolean => unit >= 0xdc00 && unit <= 0xdfff;
