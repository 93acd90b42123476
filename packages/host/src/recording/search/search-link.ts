import { NacreError, type SearchQuery, type SearchResult } from "@nacre/contracts";
import { Service } from "../service.ts";
import type { Part } from "../thread.ts";
import { type Asker, FairTurns } from "./fair-turns.ts";
import type { Searcher } from "./search.ts";

/** A search ends by itself before this; one that does not, as in a damaged file, is ended with its thread. */
const SEARCH_LIMIT_MS = 2000;

/** What a searcher can be asked. */
export const searchCalls = (searcher: () => Searcher) => ({
  ready: (): void => undefined,
  search: (query: SearchQuery): SearchResult => searcher().search(query),
});

type SearchCalls = ReturnType<typeof searchCalls>;

/** The main thread's end of searching: one search at a time, each with a limit that holds; callers take turns. */
export class SearchLink implements AsyncDisposable {
  readonly #service: Service<SearchCalls>;
  readonly #turns = new FairTurns();

  constructor(start: () => Part) {
    this.#service = new Service<SearchCalls>(start);
  }

  /** Searches when its turn comes. */
  async search(query: SearchQuery, by: Asker): Promise<SearchResult> {
    return await this.#turns.take(by, () => this.#searchNow(query));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#service[Symbol.asyncDispose]();
  }

  async #searchNow(query: SearchQuery): Promise<SearchResult> {
    if (this.#service.isClosed) {
      throw new NacreError("unavailable", "the recordings are closed");
    }
    // The time it takes to start a thread on a busy machine is not that of the search: it would be ended before it began.
    await this.#service.current.call("ready");
    let isTooLong = false;
    let isDone = false;
    const endLate = (): void => {
      if (isDone) return;
      isTooLong = true;
      void this.#service.restart();
    };
    // An answer that came in time may only not have been heard yet, where this thread was busy.
    const timer = setTimeout(() => setImmediate(endLate), SEARCH_LIMIT_MS);
    try {
      return await this.#service.current.call("search", query);
    } catch (error) {
      throw isTooLong ? tooLong(error) : error;
    } finally {
      isDone = true;
      clearTimeout(timer);
    }
  }
}

function tooLong(cause: unknown): NacreError {
  const message = `the search took longer than ${SEARCH_LIMIT_MS} ms and was cancelled`;
  return new NacreError("timeout", message, {
    cause,
    suggestion: "Try again in a moment, or name terminals or a time to search in.",
  });
}
