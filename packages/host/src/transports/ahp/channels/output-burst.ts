/** One action has no more text than this, unless a single entry has: what a connection sends in between waits for it. */
const MAX_BATCH_CHARACTERS = 64 * 1024;

/** Output that is ready in one turn, to be told together; kept as text, each entry read by itself. */
export class OutputBatch {
  readonly #handleFlush: () => void;
  #texts: string[] = [];
  #length = 0;
  #immediate: NodeJS.Immediate | undefined;

  /** Calls back when there is as much as can be told together, and at the end of every turn that brought something. */
  constructor(handleFull: () => void) {
    this.#handleFlush = handleFull;
  }

  add(text: string): void {
    if (text === "") return;
    if (this.#length > 0 && this.#length + text.length > MAX_BATCH_CHARACTERS) this.#handleFlush();
    this.#texts.push(text);
    this.#length += text.length;
    this.scheduleFlush();
  }

  /** Calls back at the end of this turn, whether there is something or not. */
  scheduleFlush(): void {
    this.#immediate ??= setImmediate(() => {
      this.#immediate = undefined;
      this.#handleFlush();
    });
  }

  /** Takes everything; empty when there is nothing. */
  take(): string {
    if (this.#length === 0) return "";
    const [first = ""] = this.#texts;
    const text = this.#texts.length === 1 ? first : this.#texts.join("");
    this.#texts = [];
    this.#length = 0;
    return text;
  }

  /** Forgets what was not taken. */
  clear(): void {
    clearImmediate(this.#immediate);
    this.#immediate = undefined;
    this.take();
  }
}
