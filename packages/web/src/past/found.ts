import type { NacreClient } from "@nacre/client";
import type { SearchHit } from "@nacre/contracts";
import { signal } from "@preact/signals";
import { buildQuery, type SearchState } from "./search-state.ts";

/** A page of hits is a few screens of reading. */
const PAGE_HITS = 50;

/** A line before and behind says mostly what it was about. */
const CONTEXT_LINES = 1;

/** What was seen, and what was run; what was typed is seen as well, so it would be found twice. */
const TYPES = ["output", "command", "title", "marker"] as const;

/** What a search found so far, for one search after another: an answer that comes too late does not count. */
export class Found implements Disposable {
  /** Undefined until the first answer is there. */
  readonly hits = signal<readonly SearchHit[] | undefined>(undefined);
  readonly isSearching = signal(false);
  readonly problem = signal<unknown>(undefined);
  /** What is wrong with what was asked for. */
  readonly refusal = signal<
    { readonly field: keyof SearchState; readonly problem: string } | undefined
  >(undefined);
  /** Whether there is more. */
  readonly hasMore = signal(false);
  readonly #client: NacreClient;
  #running: AbortController | undefined;
  #after: string | undefined;

  constructor(client: NacreClient) {
    this.#client = client;
  }

  /** Looks for something else. */
  async search(state: SearchState): Promise<void> {
    this.#running?.abort();
    this.#after = undefined;
    this.hasMore.value = false;
    if (state.text.trim() === "") {
      this.hits.value = undefined;
      this.refusal.value = undefined;
      this.isSearching.value = false;
      return;
    }
    await this.#read(state, []);
  }

  /** Reads the next page of the same search. */
  async more(state: SearchState): Promise<void> {
    if (this.#after !== undefined) await this.#read(state, this.hits.peek() ?? []);
  }

  [Symbol.dispose](): void {
    this.#running?.abort();
  }

  async #read(state: SearchState, before: readonly SearchHit[]): Promise<void> {
    const query = buildQuery(state, Date.now());
    this.refusal.value = "problem" in query ? query : undefined;
    this.problem.value = undefined;
    if ("problem" in query) return;
    const running = new AbortController();
    this.#running = running;
    this.isSearching.value = true;
    try {
      const after = this.#after === undefined ? {} : { after: this.#after };
      const page = await this.#client.searchRecordings(
        { ...query, ...after, types: [...TYPES], limit: PAGE_HITS, context: CONTEXT_LINES },
        { signal: running.signal },
      );
      if (running.signal.aborted) return;
      this.hits.value = [...before, ...page.hits];
      this.#after = page.nextAfter;
      this.hasMore.value = page.truncated;
    } catch (error) {
      if (!running.signal.aborted) this.problem.value = error;
    } finally {
      if (this.#running === running) this.isSearching.value = false;
    }
  }
}
