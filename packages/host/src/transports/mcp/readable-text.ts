// Text for models: what a person would read of an output, with nothing in it that only a machine sees.
import { type BlankBudget, ReadableLine } from "./readable-line.ts";

/** Escape sequences, whole or cut off at the end, and the control characters that move. */
const TOKENS =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /(?:\u001b\[|\u009b)([0-?]*)[ -/]*([@-~]?)|(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)?|\u001b[ -/]*[0-~]?|[\n\r\b\u2028\u2029]/gu;

/** What has no place on a screen: controls but for tabs, characters without width, writing directions, tags, annotations, halves of characters. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cs}\ufff9-\ufffb]|(?!\t)\p{Cc}/gu;

/** Enough for a few wide rows, however short the output is. */
const MIN_BLANKS = 4096;

/** Final bytes of sequences that go to another line. */
const LEAVES_LINE = /^[ABEFHdf]$/;

/** What a person reads of this output: overwritten, erased, hidden and invisible text is left out, and so is everything that only acts. */
export function readableText(output: string): string {
  const writer = new Writer({ blanks: MIN_BLANKS + output.length });
  let from = 0;
  for (const token of output.matchAll(TOKENS)) {
    writer.write(output.slice(from, token.index));
    writer.act(token);
    from = token.index + token[0].length;
  }
  writer.write(output.slice(from));
  return writer.text;
}

class Writer {
  readonly #budget: BlankBudget;
  readonly #lines: string[] = [];
  #line: ReadableLine;
  #isConcealed = false;

  constructor(budget: BlankBudget) {
    this.#budget = budget;
    this.#line = new ReadableLine(budget);
  }

  get text(): string {
    return [...this.#lines, this.#line.text].join("\n");
  }

  write(text: string): void {
    if (text !== "" && !this.#isConcealed) this.#line.put(text.replaceAll(UNSEEN, ""));
  }

  act([token, parameters, final]: RegExpMatchArray): void {
    if (final !== undefined) return this.#control(parameters ?? "", final);
    if (token === "\r") this.#line.moveTo(0);
    if (token === "\b") this.#line.moveBy(-1);
    if (/^[\n\u2028\u2029]$/u.test(token)) this.#endLine();
  }

  #control(parameters: string, final: string): void {
    const count = Math.max(1, Number.parseInt(parameters, 10) || 1);
    switch (final) {
      case "C":
        return this.#line.moveBy(count);
      case "D":
        return this.#line.moveBy(-count);
      case "G":
        return this.#line.moveTo(count - 1);
      case "K":
        return this.#line.erase(Number.parseInt(parameters, 10) || 0);
      case "m":
        this.#isConcealed = isConcealedAfter(parameters, this.#isConcealed);
        return;
      default:
        if (LEAVES_LINE.test(final) && !this.#line.isEmpty) this.#endLine();
    }
  }

  #endLine(): void {
    this.#lines.push(this.#line.text);
    this.#line = new ReadableLine(this.#budget);
  }
}

/** How many parameters belong to a colour, by its kind. */
const COLOUR_LENGTHS: Readonly<Record<string, number>> = { "2": 5, "5": 3 };

/** Whether text is concealed after a sequence that sets how it looks. */
function isConcealedAfter(parameters: string, before: boolean): boolean {
  const codes = parameters.split(";");
  let isConcealed = before;
  for (let at = 0; at < codes.length;) {
    const code = codes[at] ?? "";
    if (/^(?:38|48|58)$/.test(code)) {
      at += COLOUR_LENGTHS[codes[at + 1] ?? ""] ?? 1;
      continue;
    }
    if (code === "8") isConcealed = true;
    if (/^(?:0*|28)$/.test(code)) isConcealed = false;
    at++;
  }
  return isConcealed;
}
