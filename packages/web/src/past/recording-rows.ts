import type { NacreClient } from "@nacre/client";
import type { OwnerFilter, TerminalId, TerminalStorage } from "@nacre/contracts";
import { signal } from "@preact/signals";
import { readFacts, type RecordingFacts, type RecordingLine } from "./recording-line.ts";

/** Rows are small; most people have all of theirs in one page. */
const PAGE_ROWS = 500;

/** So many lines are looked into at once, while others of the page also ask. */
const MAX_READS = 4;

/** The recordings of a host, newest first, read as far as somebody wants to see. */
export class RecordingRows implements Disposable {
  readonly rows = signal<readonly TerminalStorage[]>([]);
  /** Whether there are none beyond those. */
  readonly isComplete = signal(false);
  readonly isReading = signal(false);
  readonly problem = signal<unknown>(undefined);
  /** What is known of each from its entries; filled for those that are shown. */
  readonly facts = signal<ReadonlyMap<TerminalId, RecordingFacts>>(new Map());
  readonly #client: NacreClient;
  readonly #owner: OwnerFilter | undefined;
  readonly #gone = new AbortController();
  /** By id and whether it ran then: what ended has more to say. */
  readonly #asked = new Set<string>();
  #waiting: TerminalId[] = [];
  #reads = 0;

  constructor(client: NacreClient, owner: OwnerFilter | undefined) {
    this.#client = client;
    this.#owner = owner;
  }

  /** Reads the next page. */
  async readMore(): Promise<void> {
    if (this.isReading.peek() || this.isComplete.peek()) return;
    const { signal: gone } = this.#gone;
    this.isReading.value = true;
    this.problem.value = undefined;
    try {
      const page = await this.#readPage(this.rows.peek().at(-1)?.id);
      this.rows.value = [...this.rows.peek(), ...page.recordings];
      this.isComplete.value = !page.truncated;
    } catch (error) {
      if (!gone.aborted) this.problem.value = error;
    } finally {
      this.isReading.value = false;
    }
  }

  /** Reads those that came since the list was read. */
  async readNew(): Promise<void> {
    const page = await this.#readPage(undefined);
    // Known by now: another read may have brought the same.
    const known = new Set(this.rows.peek().map(({ id }) => id));
    const fresh = page.recordings.filter(({ id }) => !known.has(id));
    if (fresh.length > 0) this.rows.value = [...fresh, ...this.rows.peek()];
  }

  /** Looks into recordings that are shown, a few at a time; each once, and once more when it has ended. */
  lookInto(lines: readonly RecordingLine[]): void {
    const keyOf = ({ row, isRunning }: RecordingLine): string => `${row.id} ${isRunning}`;
    const fresh = lines.filter((line) => !this.#asked.has(keyOf(line)));
    for (const line of fresh) this.#asked.add(keyOf(line));
    this.#waiting = [...this.#waiting, ...fresh.map(({ row }) => row.id)];
    while (this.#reads < MAX_READS && this.#waiting.length > 0) void this.#lookOn();
  }

  /** A recording that is no more. */
  forget(id: TerminalId): void {
    this.rows.value = this.rows.peek().filter((row) => row.id !== id);
  }

  [Symbol.dispose](): void {
    this.#gone.abort();
    this.#waiting = [];
  }

  #readPage(after: TerminalId | undefined) {
    return this.#client.listRecordings(
      {
        newestFirst: true,
        limit: PAGE_ROWS,
        ...(this.#owner === undefined ? {} : { owner: this.#owner }),
        ...(after === undefined ? {} : { after }),
      },
      { signal: this.#gone.signal },
    );
  }

  async #lookOn(): Promise<void> {
    this.#reads += 1;
    for (let id = this.#waiting.shift(); id !== undefined; id = this.#waiting.shift()) {
      try {
        const found = await readFacts(this.#client, id, this.#gone.signal);
        this.facts.value = new Map(this.facts.peek()).set(id, found);
      } catch {
        // It may be gone by now; its line then says what its row says.
      }
    }
    this.#reads -= 1;
  }
}
