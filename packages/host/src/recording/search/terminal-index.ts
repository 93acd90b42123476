import { DEFAULT_SIZE, type Size } from "@nacre/contracts";
import { z } from "zod";
import type { RecordedEntry } from "../recorded-entry.ts";
import type { RenderedLine } from "../../base/text/rendered-line.ts";
import { TextRenderer } from "../../base/text/text-renderer.ts";
import type { IndexProgress, IndexStore } from "./index-store.ts";
import { type IndexedLine, packLines, unpackLines } from "./line-block.ts";

/** Keys are joined to the line that was meant; longer text is not a line. */
const MAX_TYPED_LENGTH = 4096;

interface OpenInputLine {
  readonly text: string;
  /** The entry and time of its first key. */
  readonly first: number;
  readonly at: number;
}

// oxlint-disable no-control-regex -- these expressions are about keys that are control characters
const KEY_SEQUENCE = new RegExp("\\u001b(?:\\[[0-9;?<>=]*[ -/]*[@-~]|O.|[ -~])?", "gu");
const CONTROLS = new RegExp("[\\u0000-\\u001f\\u007f-\\u009f]+", "gu");
// oxlint-enable no-control-regex

const ERASING = new Set(["\u007f", "\b"]);

/** Control characters become blanks. */
export const toSingleLine = (text: string): string => text.replaceAll(CONTROLS, " ").trim();

/** Removes non-text keys and applies erasing. */
export function applyLineEditing(typed: string): string {
  const kept: string[] = [];
  for (const character of typed.slice(0, MAX_TYPED_LENGTH).replaceAll(KEY_SEQUENCE, "")) {
    if (ERASING.has(character)) kept.pop();
    else kept.push(character);
  }
  return toSingleLine(kept.join(""));
}

/** Submitted, or too long. */
export const isLineComplete = (text: string): boolean =>
  /[\r\n]/.test(text) || text.length >= MAX_TYPED_LENGTH;

/** Larger blocks make the index smaller and searching in them slower. */
const BLOCK_LENGTH = 32 * 1024;

/** Bounds the time span of a block, so that blocks are in chronological order. */
const MAX_BLOCK_AGE_MS = 10 * 60_000;

/** Persisted between steps, possibly for another process. */
const IndexState = z.object({
  renderer: z.unknown().optional(),
  /** The block that still grows, how many of its lines are final, and when it was begun. */
  block: z.object({ id: z.int(), finalLines: z.int(), begunAt: z.number() }).optional(),
  /** Lines of output in closed blocks. */
  firstLine: z.int().optional(),
  typed: z.object({ text: z.string(), first: z.int(), at: z.number() }).optional(),
});

export interface TerminalIndexOptions {
  readonly store: IndexStore;
  readonly progress: IndexProgress;
  timeOf(sequence: number): number | undefined;
}

/** Turns a terminal's entries into lines of the index. */
export class TerminalIndex {
  readonly #options: TerminalIndexOptions;
  readonly #terminal: number;
  readonly #decoder = new TextDecoder();
  readonly #renderer: TextRenderer;
  #through: number;
  #block: { readonly id: number; readonly begunAt: number } | undefined;
  /** Final lines in no closed block yet. */
  #lines: IndexedLine[] = [];
  #firstLine: number;
  #typed: OpenInputLine | undefined;
  /** A cache. */
  #times = new Map<number, number>();
  #newestAt = 0;
  #isEnded = false;

  /** Throws when the stored state does not fit. */
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

  /** The newest entry added. */
  get through(): number {
    return this.#through;
  }

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
    // A character may span inputs.
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

  /** For an entry that is gone, now: its line is still on the screen. */
  #timeOf(sequence: number): number {
    const known = this.#times.get(sequence);
    if (known !== undefined) return known;
    const at = this.#options.timeOf(sequence) ?? this.#newestAt;
    this.#times.set(sequence, at);
    return at;
  }

  /** Closes full blocks, and those too old to take newer lines. */
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
