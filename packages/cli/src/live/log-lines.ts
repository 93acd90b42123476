import { safeLines } from "../print.ts";

/** A line that is longer is shown in pieces; nobody reads it as one. */
const MAX_LINE_LENGTH = 64 * 1024;

/** Sequences of control, strings with their ends, and short ones. */
const SEQUENCE = new RegExp(
  [
    String.raw`\x1b\[[\x20-\x3f]*[\x40-\x7e]`,
    String.raw`\x1b[\]PX^_][^\x07\x1b\x18\x1a]*(?:\x07|\x1b\\|$)`,
    String.raw`\x1b[\x20-\x2f]*[\x30-\x7e]`,
  ].join("|"),
  "g",
);

/** Makes lines for people of what a program wrote: without colours and movements, and safe to be shown anywhere. */
export class LogLines {
  readonly #decoder = new TextDecoder();
  #rest = "";

  /** The lines that these bytes complete. */
  push(bytes: Uint8Array): readonly string[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const lines = this.#rest.split("\n");
    this.#rest = lines.pop() ?? "";
    while (this.#rest.length > MAX_LINE_LENGTH) {
      lines.push(this.#rest.slice(0, MAX_LINE_LENGTH));
      this.#rest = this.#rest.slice(MAX_LINE_LENGTH);
    }
    return lines.map(readable);
  }

  /** What was written behind the last end of a line. */
  finish(): readonly string[] {
    const rest = this.#rest + this.#decoder.decode();
    this.#rest = "";
    return rest === "" ? [] : [readable(rest)];
  }
}

/** What a person saw in the line last: a line that was begun anew shows only its last form. */
function readable(line: string): string {
  const plain = line.replaceAll(SEQUENCE, "").replace(/\r+$/, "");
  const last = plain.slice(plain.lastIndexOf("\r") + 1);
  return safeLines(erased(last));
}

/** Letters that were taken back, as by a shell while a line was typed. */
function erased(text: string): string {
  if (!text.includes("\b")) return text;
  let kept = "";
  for (const letter of text) kept = letter === "\b" ? kept.slice(0, -1) : kept + letter;
  return kept;
}
