import type { TerminalRecordingEntry } from "@nacre/contracts";
import type { RecordingSource } from "./recording-source.ts";

/** With fewer entries at hand than this the next page is fetched, so that playing never waits for it. */
const LOW_ENTRIES = 250;

/** The entries behind a place of a recording, fetched a page ahead of who takes them: never more than a page and a rest of one. */
export class EntryQueue implements Disposable {
  readonly #source: RecordingSource;
  readonly #gone = new AbortController();
  readonly #handleChange: () => void;
  #entries: readonly TerminalRecordingEntry[] = [];
  #taken = 0;
  #after: number;
  #isLast = false;
  #isFetching = false;
  #problem: unknown;

  constructor(source: RecordingSource, after: number, handleChange: () => void) {
    this.#source = source;
    this.#after = after;
    this.#handleChange = handleChange;
    this.#fill();
  }

  /** How many entries are at hand. */
  get length(): number {
    return this.#entries.length - this.#taken;
  }

  /** Whether everything was taken and nothing follows. */
  get isEnded(): boolean {
    return this.#isLast && this.length === 0;
  }

  /** Why no more could be fetched, if so; `retry` tries again. */
  get problem(): unknown {
    return this.#problem;
  }

  peek(): TerminalRecordingEntry | undefined {
    return this.#entries[this.#taken];
  }

  take(): TerminalRecordingEntry | undefined {
    const entry = this.peek();
    if (entry) this.#taken += 1;
    if (this.length < LOW_ENTRIES) this.#fill();
    return entry;
  }

  retry(): void {
    this.#problem = undefined;
    this.#fill();
  }

  /** The recording has more entries than it had. */
  grow(): void {
    this.#isLast = false;
    if (this.length < LOW_ENTRIES) this.#fill();
  }

  [Symbol.dispose](): void {
    this.#gone.abort();
  }

  #fill(): void {
    const { aborted } = this.#gone.signal;
    if (this.#isLast || this.#isFetching || this.#problem !== undefined || aborted) return;
    this.#isFetching = true;
    void this.#fetch().then(() => {
      this.#isFetching = false;
      if (!this.#gone.signal.aborted) this.#handleChange();
    });
  }

  async #fetch(): Promise<void> {
    try {
      const { entries, isLast } = await this.#source.readAfter(this.#after, this.#gone.signal);
      this.#entries = [...this.#entries.slice(this.#taken), ...entries];
      this.#taken = 0;
      this.#after = entries.at(-1)?.sequence ?? this.#after;
      this.#isLast = isLast;
    } catch (error) {
      // Who plays shows it and may try again.
      this.#problem = error;
    }
  }
}
