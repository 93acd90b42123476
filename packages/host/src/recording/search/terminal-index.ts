import { DEFAULT_SIZE } from "@nacre/contracts";
import type { RecordedEntry } from "../recorded-entry.ts";
import type { RenderedLine } from "../render/rendered-line.ts";
import type { RendererState } from "../render/renderer-state.ts";
import { TextRenderer } from "../render/text-renderer.ts";
import type { IndexStore, Progress } from "./index-store.ts";
import { type IndexedLine, packLines, unpackLines } from "./line-block.ts";
import { asOneLine, isComplete, meantText, type TypedLine } from "./typed-line.ts";

/** A block of this many characters: larger ones make the index smaller and finding a line in them slower. */
const BLOCK_LENGTH = 32 * 1024;

/** A block takes lines for this long, so that blocks are in the order in which things happened. */
const MAX_BLOCK_AGE_MS = 10 * 60_000;

/** What is kept of a terminal between two steps, possibly in another process. */
interface IndexState {
  readonly renderer?: RendererState;
  /** The block that still grows, and how many of its lines are final. */
  readonly block?: { readonly id: number; readonly finalLines: number };
  readonly typed?: TypedLine;
  /** When the entries happened that lines on the screen began in. */
  readonly times?: readonly (readonly [sequence: number, at: number])[];
}

const utf8 = new TextDecoder();

/** Turns the entries of one terminal into lines of the index, step by step. */
export class TerminalIndex {
  readonly #store: IndexStore;
  readonly #terminal: number;
  #through: number;
  #renderer: TextRenderer;
  #block: number | undefined;
  /** Final lines that are in no closed block yet. */
  #lines: IndexedLine[] = [];
  #typed: TypedLine | undefined;
  #times: Map<number, number>;
  #isEnded = false;

  /** Goes on where the index stands; a state that does not fit is thrown out with an error. */
  constructor(store: IndexStore, { terminal, through, state }: Progress) {
    const { renderer, block, typed, times }: IndexState = JSON.parse(state);
    this.#store = store;
    this.#terminal = terminal;
    this.#through = through;
    this.#renderer = new TextRenderer(
      renderer === undefined ? { size: DEFAULT_SIZE } : { state: renderer },
    );
    this.#typed = typed;
    this.#times = new Map(times);
    if (block) {
      this.#block = block.id;
      const packed = store.readBlock(block.id);
      this.#lines = packed ? unpackLines(packed).slice(0, block.finalLines) : [];
    }
  }

  /** The newest entry that was added. */
  get through(): number {
    return this.#through;
  }

  /** Adds the next entries, in order. */
  add(entries: readonly RecordedEntry[]): void {
    for (const entry of entries) {
      const at = Date.parse(entry.occurredAt);
      this.#times.set(entry.sequence, at);
      this.#addEntry(entry, at);
      this.#through = entry.sequence;
    }
    for (const line of this.#renderer.takeFinal()) this.#lines.push(this.#outputLine(line));
  }

  /** Nothing follows: what is on the screen is final. */
  end(): void {
    this.#renderer.end();
    for (const line of this.#renderer.takeFinal()) this.#lines.push(this.#outputLine(line));
    this.#endTyped();
    this.#isEnded = true;
  }

  /** Continues after entries that are gone. */
  skipTo(sequence: number, size: { readonly cols: number; readonly rows: number }): void {
    this.#through = sequence;
    this.#renderer.resize(size);
  }

  /** Writes what changed; inside a transaction. */
  write(): void {
    this.#closeFullBlocks();
    const shown = this.#renderer.current().map((line) => this.#outputLine(line));
    const lines = [...this.#lines, ...shown];
    const stage = this.#isEnded ? "closed" : "open";
    if (lines.length === 0) {
      if (this.#block !== undefined) this.#store.deleteBlock(this.#block);
      this.#block = undefined;
    } else if (this.#block === undefined) {
      this.#block = this.#store.insertBlock(this.#terminal, packLines(lines), stage);
    } else this.#store.updateBlock(this.#block, packLines(lines), stage);
    this.#writeProgress(shown);
  }

  #addEntry(entry: RecordedEntry, at: number): void {
    switch (entry.type) {
      case "header":
      case "resize":
        this.#renderer.resize({ cols: entry.cols, rows: entry.rows });
        return;
      case "output":
        if (entry.data) this.#renderer.write(entry.data, entry.sequence);
        return;
      case "input":
        if (entry.data) this.#addTyped(utf8.decode(entry.data), entry.sequence, at);
        return;
      case "command":
        this.#addText(entry, entry.commandLine, at);
        this.#store.insertCommand({
          terminal: this.#terminal,
          firstSequence: entry.sequence,
          id: entry.commandId,
          line: entry.commandLine,
          cwd: entry.cwd,
        });
        return;
      case "commandEnd": {
        const { commandId: id, sequence: lastSequence, exitCode, signal } = entry;
        this.#store.endCommand({ terminal: this.#terminal, id, lastSequence, exitCode, signal });
        return;
      }
      case "title":
        this.#addText(entry, entry.title, at);
        return;
      case "cwd":
        this.#addText(entry, entry.cwd, at);
        return;
      case "marker":
        this.#addText(entry, entry.label, at);
        return;
      case "exit":
      case "claim":
      case "clear":
      case "gap":
    }
  }

  #addText({ type, sequence }: RecordedEntry, text: string, at: number): void {
    const line = asOneLine(text);
    if (line === "") return;
    this.#lines.push({ text: line, type, first: sequence, last: sequence, at, carry: 0 });
  }

  #addTyped(text: string, sequence: number, at: number): void {
    const { text: before, first, at: firstAt } = this.#typed ?? { text: "", first: sequence, at };
    this.#typed = { text: before + text, first, at: firstAt };
    if (isComplete(this.#typed.text)) this.#endTyped(sequence);
  }

  #endTyped(last = this.#typed?.first ?? 0): void {
    if (!this.#typed) return;
    const { text, first, at } = this.#typed;
    const line = meantText(text);
    if (line !== "") this.#lines.push({ text: line, type: "input", first, last, at, carry: 0 });
    this.#typed = undefined;
  }

  #outputLine({ text, first, last, carry }: RenderedLine): IndexedLine {
    const at = this.#times.get(first) ?? this.#times.get(last) ?? 0;
    return { text, type: "output", first, last, at, carry };
  }

  #closeFullBlocks(): void {
    let length = 0;
    let start = 0;
    for (const [index, { text }] of this.#lines.entries()) {
      length += text.length + 1;
      if (length < BLOCK_LENGTH) continue;
      this.#closeBlock(this.#lines.slice(start, index + 1));
      start = index + 1;
      length = 0;
    }
    this.#lines = this.#lines.slice(start);
    const [first] = this.#lines;
    const newest = this.#lines.at(-1);
    if (first && newest && newest.at - first.at > MAX_BLOCK_AGE_MS) {
      this.#closeBlock(this.#lines);
      this.#lines = [];
    }
  }

  #closeBlock(lines: readonly IndexedLine[]): void {
    if (this.#block === undefined)
      this.#store.insertBlock(this.#terminal, packLines(lines), "closed");
    else this.#store.updateBlock(this.#block, packLines(lines), "closed");
    this.#block = undefined;
  }

  #writeProgress(shown: readonly IndexedLine[]): void {
    const needed = new Set(shown.flatMap(({ first, last }) => [first, last]));
    this.#times = new Map([...this.#times].filter(([sequence]) => needed.has(sequence)));
    const state: IndexState = {
      ...(this.#isEnded ? {} : { renderer: this.#renderer.toState() }),
      ...(this.#block === undefined || this.#isEnded
        ? {}
        : { block: { id: this.#block, finalLines: this.#lines.length } }),
      ...(this.#typed === undefined ? {} : { typed: this.#typed }),
      times: [...this.#times],
    };
    const { terminal, through } = { terminal: this.#terminal, through: this.#through };
    this.#store.writeProgress({ terminal, through, state: JSON.stringify(state) });
  }
}
