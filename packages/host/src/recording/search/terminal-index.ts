import { DEFAULT_SIZE, type Size } from "@nacre/contracts";
import { z } from "zod";
import type { RecordedEntry } from "../recorded-entry.ts";
import type { RenderedLine } from "../../base/text/rendered-line.ts";
import { TextRenderer } from "../../base/text/text-renderer.ts";
import type { IndexProgress, IndexStore } from "./index-store.ts";
import { type IndexedLine, packLines, unpackLines } from "./line-block.ts";

/** What is typed key by key becomes the line that was meant; more than this is no line any more. */
const MAX_TYPED_LENGTH = 4096;

/** A line that is being typed. */
interface OpenInputLine {
  readonly text: string;
  /** The entry with its first key, and when that was. */
  readonly first: number;
  readonly at: number;
}

// oxlint-disable no-control-regex -- these expressions are about keys that are control characters
const KEY_SEQUENCE = new RegExp("\\u001b(?:\\[[0-9;?<>=]*[ -/]*[@-~]|O.|[ -~])?", "gu");
const CONTROLS = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f]+", "gu");
// oxlint-enable no-control-regex

const ERASING = new Set(["\u007f", "\b"]);

/** Text as one line: what would move a cursor becomes a blank. */
export const toSingleLine = (text: string): string => text.replaceAll(CONTROLS, " ").trim();

/** What a person meant to type: without keys that are not text, and without what was erased again. */
export function applyLineEditing(typed: string): string {
  const kept: string[] = [];
  for (const character of typed.slice(0, MAX_TYPED_LENGTH).replaceAll(KEY_SEQUENCE, "")) {
    if (ERASING.has(character)) kept.pop();
    else kept.push(character);
  }
  return toSingleLine(kept.join(""));
}

/** Tells whether a line is complete: it was ended, or became too long. */
export const isLineComplete = (text: string): boolean =>
  /[\r\n]/.test(text) || text.length >= MAX_TYPED_LENGTH;

/** A block of this many characters: larger ones make the index smaller and finding a line in them slower. */
const BLOCK_LENGTH = 32 * 1024;

/** A block takes lines for this long, so that blocks are in the order in which things happened. */
const MAX_BLOCK_AGE_MS = 10 * 60_000;

/** What is kept of a terminal between two steps, possibly in another process. */
const IndexState = z.object({
  renderer: z.unknown().optional(),
  /** The block that still grows, how many of its lines are final, and when it was begun. */
  block: z.object({ id: z.int(), finalLines: z.int(), begunAt: z.number() }).optional(),
  /** How many lines of output are in closed blocks. */
  firstLine: z.int().optional(),
  typed: z.object({ text: z.string(), first: z.int(), at: z.number() }).optional(),
});

export interface TerminalIndexOptions {
  readonly store: IndexStore;
  readonly progress: IndexProgress;
  /** When an entry happened. */
  timeOf(sequence: number): number | undefined;
}

/** Turns the entries of one terminal into lines of the index, step by step. */
export class TerminalIndex {
  readonly #options: TerminalIndexOptions;
  readonly #terminal: number;
  readonly #decoder = new TextDecoder();
  readonly #renderer: TextRenderer;
  #through: number;
  #block: { readonly id: number; readonly begunAt: number } | undefined;
  /** Final lines that are in no closed block yet, and how many lines of output come before them. */
  #lines: IndexedLine[] = [];
  #firstLine: number;
  #typed: OpenInputLine | undefined;
  /** Times of entries that were asked for lately. */
  #times = new Map<number, number>();
  #newestAt = 0;
  #isEnded = false;

  /** Goes on where the index stands; throws when what was kept does not fit. */
  constructor(options: TerminalIndexOptions) {
    const { store, progress } = options;
    const { renderer, block, firstLine, typed } = IndexState.parse(JSON.parse(progress.state));
    this.#options = options;
    this.#terminal = progress.terminal;
    this.#through = progress.through;
    this.#renderer = new TextRenderer(
      renderer === undefined ? { size: DEFAULT_SIZE } : { state: renderer },
    );
    this.#typed = typed;
    this.#firstLine = firstLine ?? 0;
    if (!block) return;
    const packed = store.readBlock(block.id);
    if (!packed) throw new Error(`block ${block.id} is missing`);
    this.#block = block;
    this.#lines = unpackLines(packed).slice(0, block.finalLines);
  }

  /** The newest entry that was added. */
  get through(): number {
    return this.#through;
  }

  /** Adds the next entries, in order. */
  add(entries: readonly RecordedEntry[]): void {
    for (const entry of entries) {
      this.#newestAt = Date.parse(entry.occurredAt);
      this.#times.set(entry.sequence, this.#newestAt);
      this.#addEntry(entry, this.#newestAt);
      this.#through = entry.sequence;
      for (const line of this.#renderer.takeFinal()) this.#lines.push(this.#outputLine(line));
    }
  }

  /** Nothing follows: what is on the screen is final. */
  end(): void {
    this.#renderer.end();
    for (const line of this.#renderer.takeFinal()) this.#lines.push(this.#outputLine(line));
    this.#endTyped();
    this.#isEnded = true;
  }

  /** Continues after entries that are gone. */
  skipTo(sequence: number, { cols, rows }: Size): void {
    this.#through = sequence;
    this.#renderer.resize({ cols, rows });
  }

  /** Writes what changed, up to the entry with this hash; inside a transaction. */
  write(hash: Uint8Array): void {
    const { store } = this.#options;
    this.#closeBlocks();
    const lines = [
      ...this.#lines,
      ...this.#renderer.current().map((line) => this.#outputLine(line)),
    ];
    const stage = this.#isEnded ? "closed" : "open";
    if (lines.length === 0) this.#dropBlock();
    else if (this.#block)
      store.updateBlock(this.#block.id, packLines(lines, this.#firstLine), stage);
    else {
      const id = store.insertBlock(this.#terminal, packLines(lines, this.#firstLine), stage);
      this.#block = { id, begunAt: this.#newestAt };
    }
    this.#writeProgress(hash);
    this.#times = new Map();
  }

  #addEntry(entry: RecordedEntry, at: number): void {
    const terminal = this.#terminal;
    const { store } = this.#options;
    switch (entry.type) {
      case "header":
      case "resize":
        this.#renderer.resize({ cols: entry.cols, rows: entry.rows });
        return;
      case "output":
        if (entry.data) this.#renderer.write(entry.data, entry.sequence);
        return;
      case "input":
        if (entry.data) this.#addTyped(entry.data, entry.sequence, at);
        return;
      case "command": {
        const { commandId: id, commandLine: line, cwd, sequence: firstSequence } = entry;
        this.#addText(entry, line, at);
        store.insertCommand({ terminal, firstSequence, id, line, cwd });
        return;
      }
      case "commandEnd": {
        const { commandId: id, sequence: lastSequence, exitCode, signal } = entry;
        store.endCommand({ terminal, id, lastSequence, exitCode, signal });
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
    const line = toSingleLine(text);
    if (line === "") return;
    this.#lines.push({ text: line, type, first: sequence, last: sequence, at, carry: 0 });
  }

  #addTyped(data: Uint8Array, sequence: number, at: number): void {
    const { text: before, first, at: firstAt } = this.#typed ?? { text: "", first: sequence, at };
    // A character may come in several inputs.
    const text = before + this.#decoder.decode(data, { stream: true });
    this.#typed = { text, first, at: firstAt };
    if (isLineComplete(text)) this.#endTyped(sequence);
  }

  #endTyped(last = this.#typed?.first ?? 0): void {
    if (!this.#typed) return;
    const { text, first, at } = this.#typed;
    const line = applyLineEditing(text);
    if (line !== "") this.#lines.push({ text: line, type: "input", first, last, at, carry: 0 });
    this.#typed = undefined;
  }

  #outputLine({ text, first, last, carry }: RenderedLine): IndexedLine {
    return { text, type: "output", first, last, at: this.#timeOf(first), carry };
  }

  /** An entry that is gone has the time of now: its line is still being looked at. */
  #timeOf(sequence: number): number {
    const known = this.#times.get(sequence);
    if (known !== undefined) return known;
    const at = this.#options.timeOf(sequence) ?? this.#newestAt;
    this.#times.set(sequence, at);
    return at;
  }

  /** Closes what is full, and what is so old that newer lines would be taken for as old. */
  #closeBlocks(): void {
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
    if (!this.#block || this.#newestAt - this.#block.begunAt <= MAX_BLOCK_AGE_MS) return;
    if (this.#lines.length > 0) this.#closeBlock(this.#lines);
    else this.#dropBlock();
    this.#lines = [];
  }

  #closeBlock(lines: readonly IndexedLine[]): void {
    const { store } = this.#options;
    const packed = packLines(lines, this.#firstLine);
    if (this.#block) store.updateBlock(this.#block.id, packed, "closed");
    else store.insertBlock(this.#terminal, packed, "closed");
    this.#block = undefined;
    this.#firstLine += lines.filter(({ type }) => type === "output").length;
  }

  #dropBlock(): void {
    if (this.#block) this.#options.store.deleteBlock(this.#block.id);
    this.#block = undefined;
  }

  #writeProgress(hash: Uint8Array): void {
    const block = this.#block && { ...this.#block, finalLines: this.#lines.length };
    const state: z.infer<typeof IndexState> = this.#isEnded
      ? { firstLine: this.#firstLine }
      : {
          renderer: this.#renderer.toState(),
          firstLine: this.#firstLine,
          ...(block ? { block } : {}),
          ...(this.#typed ? { typed: this.#typed } : {}),
        };
    const [terminal, through] = [this.#terminal, this.#through];
    this.#options.store.writeProgress({ terminal, through, hash, state: JSON.stringify(state) });
  }
}
