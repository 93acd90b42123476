/** A line that never ends is compared by its end only. */
const MAX_TAIL_LENGTH = 65_536;

/** Every escape sequence that output entries have whole: CSI, strings, and those of two or three characters. */
const SEQUENCES =
  // oxlint-disable-next-line no-control-regex -- escape sequences are made of control characters
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)?|[ -/]*[0-~])/g;

// oxlint-disable-next-line no-control-regex -- removing them is the purpose
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f]/g;

/** The words in a view of output: without escape sequences and control characters, lines ended by a line feed. */
export function toPlainText(view: Uint8Array): string {
  const text = Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString();
  return text.replaceAll(SEQUENCES, "").replaceAll("\r\n", "\n").replaceAll(CONTROLS, "");
}

/** The newest words of an output, for who waits for some of them. */
export class PlainTail {
  #text = "";

  /** Adds a view and returns the text to compare: all that is new, and of what is old as much as a match may begin in. */
  push(view: Uint8Array, overlap: number): string {
    const added = toPlainText(view);
    const kept = Math.min(overlap, MAX_TAIL_LENGTH);
    const before = kept === 0 ? "" : this.#text.slice(-kept);
    this.#text = `${this.#text}${added}`.slice(-MAX_TAIL_LENGTH);
    return before + added;
  }

  /** The last line, ended or not. */
  get lastLine(): string {
    return this.#text.slice(this.#text.lastIndexOf("\n") + 1);
  }
}
