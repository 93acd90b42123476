import { NacreError, type SearchQuery, type SearchResult } from "@nacre/contracts";
import { RestartingWorker } from "../service.ts";
import type { WorkerHandle } from "../thread.ts";
import { type SearchRequester, SearchQueue } from "./fair-turns.ts";
import type { Searcher } from "./search.ts";

/** A search ends by itself before this; one that does not, as in a damaged file, is ended with its thread. */
const SEARCH_LIMIT_MS = 2000;

/** What a searcher can be asked. */
export const createSearchMethods = (searcher: () => Searcher) => ({
  ready: (): void => undefined,
  search: (query: SearchQuery): SearchResult => searcher().search(query),
});

type SearchMethods = ReturnType<typeof createSearchMethods>;

/** The main thread's end of searching: one search at a time, each with a limit that holds; callers take turns. */
export class SearchClient implements AsyncDisposable {
  readonly #worker: RestartingWorker<SearchMethods>;
  readonly #queue = new SearchQueue();

  constructor(start: () => WorkerHandle) {
    this.#worker = new RestartingWorker<SearchMethods>(start);
  }

  /** Searches when its turn comes. */
  async search(query: SearchQuery, by: SearchRequester): Promise<SearchResult> {
    return await this.#queue.run(by, () => this.#searchNow(query));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker[Symbol.asyncDispose]();
  }

  async #searchNow(query: SearchQuery): Promise<SearchResult> {
    if (this.#worker.isClosed) {
      throw new NacreError("unavailable", "the recordings are closed");
    }
    // The time it takes to start a thread on a busy machine is not that of the search: it would be ended before it began.
    await this.#worker.current.call("ready");
    let isTooLong = false;
    let isDone = false;
    const endLate = (): void => {
      if (isDone) return;
      isTooLong = true;
      void this.#worker.restart();
    };
    // An answer that came in time may only not have been heard yet, where this thread was busy.
    const timer = setTimeout(() => setImmediate(endLate), SEARCH_LIMIT_MS);
    try {
      return await this.#worker.current.call("search", query);
    } catch (error) {
      throw isTooLong ? timeoutError(error) : error;
    } finally {
      isDone = true;
      clearTimeout(timer);
    }
  }
}

function timeoutError(cause: unknown): NacreError {
  const message = `the search took longer than ${SEARCH_LIMIT_MS} ms and was cancelled`;
  return new NacreError("timeout", message, {
    cause,
    suggestion: "Try again in a moment, or name terminals or a time to search in.",
  });
}
