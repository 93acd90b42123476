import type { Screen, TerminalRecordingEntry } from "@nacre/contracts";
import type { PlayerScreen } from "../ui/player.ts";
import type { Spot } from "../ui/outline.ts";
import type { EntryPage, RecordingSource } from "../ui/recording-source.ts";

/** A recording whose entries a test made up, and what was asked of it; answers come when the test lets them. */
export class MadeUpRecording implements RecordingSource {
  #entries: readonly TerminalRecordingEntry[];
  readonly #pageEntries: number;
  /** The moments whose screens were read. */
  readonly screensRead: number[] = [];
  pagesRead = 0;
  /** While set, everything that is asked fails with it. */
  failure: Error | undefined;

  constructor(entries: readonly TerminalRecordingEntry[], pageEntries = 3) {
    this.#entries = entries;
    this.#pageEntries = pageEntries;
  }

  /** Other entries from now on. */
  replace(entries: readonly TerminalRecordingEntry[]): void {
    this.#entries = entries;
  }

  get durationMs(): number {
    return this.#entries.at(-1)?.elapsedMs ?? 0;
  }

  async readExtent() {
    const { durationMs } = this;
    return { durationMs, beganAt: 0, lastSequence: this.#entries.length, isEnded: true, idle: [] };
  }

  async readChapters() {
    return [];
  }

  async readScreen({ atMs, sequence }: Spot): Promise<Screen> {
    await Promise.resolve();
    if (this.failure) throw this.failure;
    this.screensRead.push(atMs);
    const before = this.#entries.filter(({ elapsedMs }) => elapsedMs <= atMs);
    return screenOf(before.slice(0, sequence));
  }

  async readAfter(sequence: number): Promise<EntryPage> {
    await Promise.resolve();
    if (this.failure) throw this.failure;
    this.pagesRead += 1;
    const end = sequence + this.#pageEntries;
    return { entries: this.#entries.slice(sequence, end), isLast: end >= this.#entries.length };
  }
}

const textOf = (entry: TerminalRecordingEntry): string =>
  entry.type === "output" ? (entry.data ?? "") : `<${entry.type}>`;

const screenOf = (before: readonly TerminalRecordingEntry[]): Screen => ({
  sequence: before.length,
  size: { cols: 80, rows: 24 },
  format: "ansi",
  text: "",
  content: before.map(textOf).join(""),
  cursor: { row: 0, column: 0, visible: true },
  alternate: false,
  title: "",
  hash: "0".repeat(16),
});

/** A screen that only remembers what it would show, and draws when a test says so. */
export class PaperScreen implements PlayerScreen {
  text = "";
  restored = 0;
  waitingBytes = 0;
  /** How many bytes wait for each character; 0 draws at once. */
  bytesPerCharacter = 0;

  restore(screen: Screen): void {
    this.restored += 1;
    this.text = screen.content ?? "";
  }

  apply(entry: TerminalRecordingEntry): void {
    const text = textOf(entry);
    this.text += text;
    this.waitingBytes += text.length * this.bytesPerCharacter;
  }
}
