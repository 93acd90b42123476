import { NacreError, type SearchQuery, type SearchResult } from "@nacre/contracts";
import { FairSemaphore } from "../../base/fair-semaphore.ts";
import { RestartingWorker } from "../../base/port-rpc.ts";
import type { WorkerHandle } from "../../base/worker.ts";
import type { Searcher } from "./searcher.ts";

export interface SearchRequester {
  /** Requests of one name share one turn. */
  readonly name: string;
  /** Goes first, as an operator does. */
  readonly isFirst: boolean;
}

/** More pending requests than this arrive faster than they can be answered. */
const MAX_WAITING_PER_REQUESTER = 8;

/** Bounds the wait of everybody who does not go first. */
const MAX_WAITING = 32;

/** A search ends by itself before this; otherwise, as in a damaged file, its thread is terminated. */
const SEARCH_LIMIT_MS = 2000;

export const createSearchMethods = (searcher: () => Searcher) => ({
  ready: (): void => undefined,
  search: (query: SearchQuery): SearchResult => searcher().search(query),
});

type SearchMethods = ReturnType<typeof createSearchMethods>;

/** The search client in the main thread: one search at a time with a hard limit; callers take turns. */
export class SearchClient implements AsyncDisposable {
  readonly #worker: RestartingWorker<SearchMethods>;
  readonly #semaphore = new FairSemaphore(1);

  constructor(start: () => WorkerHandle) {
    this.#worker = new RestartingWorker<SearchMethods>(start);
  }

  /** Throws `limit_reached` when too many wait. */
  async search(query: SearchQuery, { name, isFirst }: SearchRequester): Promise<SearchResult> {
    const waiting = this.#semaphore.waitingOf(name);
    const isFull = !isFirst && this.#semaphore.waitingBehind >= MAX_WAITING;
    if (isFull || waiting >= MAX_WAITING_PER_REQUESTER) throw tooManyError(waiting);
    await this.#semaphore.acquire(name, { isFirst });
    try {
      return await this.#searchNow(query);
    } finally {
      this.#semaphore.release(name);
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#worker[Symbol.asyncDispose]();
  }

  async #searchNow(query: SearchQuery): Promise<SearchResult> {
    if (this.#worker.isClosed) {
      throw new NacreError("unavailable", "the recordings are closed");
    }
    // Starting a thread on a busy machine must not count as search time.
    await this.#worker.current.call("ready");
    let isTooLong = false;
    let isDone = false;
    const endLate = (): void => {
      if (isDone) return;
      isTooLong = true;
      void this.#worker.restart();
    };
    // A reply in time may not have been read yet where this thread was busy.
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

const tooManyError = (waiting: number): NacreError =>
  new NacreError("limit_reached", `${waiting} of your searches wait already`, {
    suggestion: "Wait for the answers of those under way before you send more.",
  });

function timeoutError(cause: unknown): NacreError {
  const message = `the search took longer than ${SEARCH_LIMIT_MS} ms and was cancelled`;
  return new NacreError("timeout", message, {
    cause,
    suggestion: "Try again in a moment, or name terminals or a time to search in.",
  });
}
