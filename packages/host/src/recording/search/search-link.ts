import { NacreError, type SearchQuery, type SearchResult } from "@nacre/contracts";
import type { Part } from "../thread.ts";
import { Caller } from "../thread-call.ts";
import type { Searcher } from "./search.ts";

/** No search may take longer than this; a regular expression can, so its thread is ended. */
const SEARCH_LIMIT_MS = 2000;

/** Searches wait for each other; so many waiting ones mean that somebody asks faster than can be answered. */
const MAX_WAITING_SEARCHES = 32;

/** What a searcher can be asked. */
export const searchCalls = (searcher: Searcher) => ({
  search: (query: SearchQuery): SearchResult => searcher.search(query),
});

type SearchCalls = ReturnType<typeof searchCalls>;

/** The main thread's end of searching: one search at a time, each with a limit that holds. */
export class SearchLink implements AsyncDisposable {
  readonly #start: () => Part;
  readonly #limitMs: number;
  #caller: Caller<SearchCalls> | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #waiting = 0;

  constructor(start: () => Part, limitMs = SEARCH_LIMIT_MS) {
    this.#start = start;
    this.#limitMs = limitMs;
  }

  /** Searches when its turn comes. */
  async search(query: SearchQuery): Promise<SearchResult> {
    if (this.#waiting >= MAX_WAITING_SEARCHES) {
      throw new NacreError("limit_reached", `${this.#waiting} searches wait already`, {
        suggestion: "Try again in a moment.",
      });
    }
    this.#waiting++;
    const before = this.#last;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#last = promise;
    try {
      await before;
      return await this.#searchNow(query);
    } finally {
      this.#waiting--;
      resolve();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#caller?.terminate();
    this.#caller = undefined;
  }

  async #searchNow(query: SearchQuery): Promise<SearchResult> {
    if (!this.#caller || this.#caller.isOver) this.#caller = new Caller<SearchCalls>(this.#start());
    const caller = this.#caller;
    let isTooLong = false;
    const timer = setTimeout(() => {
      isTooLong = true;
      void caller.terminate();
    }, this.#limitMs);
    try {
      return await caller.call("search", query);
    } catch (error) {
      throw isTooLong ? tooLong(this.#limitMs, error) : error;
    } finally {
      clearTimeout(timer);
    }
  }
}

function tooLong(limitMs: number, cause: unknown): NacreError {
  return new NacreError("timeout", `the search took longer than ${limitMs} ms and was cancelled`, {
    cause,
    suggestion: "Simplify the regular expression, or name terminals or a time to search in.",
  });
}
