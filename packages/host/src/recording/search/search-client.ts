import { NacreError, type SearchQuery, type SearchResult } from "@nacre/contracts";
import { RestartingWorker } from "../../base/port-rpc.ts";
import type { WorkerHandle } from "../../base/worker.ts";
import type { Searcher } from "./searcher.ts";

/** Who wants something done. */
export interface SearchRequester {
  /** All requests of one name take turns with those of others. */
  readonly name: string;
  /** Whether it goes before everybody else, as an operator does. */
  readonly isFirst: boolean;
}

/** So many requests of one asker wait; with more it asks faster than can be answered. */
const MAX_WAITING_PER_REQUESTER = 8;

/** So many wait of all who do not go first: a bound for how long any of them waits. */
const MAX_WAITING = 32;

interface RequesterQueue {
  readonly isFirst: boolean;
  readonly waiting: (() => void)[];
}

/** Does one thing at a time. Askers take turns, so that one who asks much waits for itself and not the others. */
class SearchQueue {
  /** By asker; whose turn it is next comes first. */
  readonly #queues = new Map<string, RequesterQueue>();
  #isBusy = false;

  /** Does this when its turn comes, or refuses with `limit_reached`. */
  async run<Value>(asker: SearchRequester, run: () => Promise<Value>): Promise<Value> {
    if (this.#isBusy) await this.#wait(asker);
    this.#isBusy = true;
    try {
      return await run();
    } finally {
      this.#isBusy = false;
      this.#next();
    }
  }

  async #wait({ name, isFirst }: SearchRequester): Promise<void> {
    const queue = this.#queues.get(name) ?? { isFirst, waiting: [] };
    const others = [...this.#queues.values()].filter((one) => !one.isFirst);
    const count = others.reduce((sum, { waiting }) => sum + waiting.length, 0);
    if (queue.waiting.length >= MAX_WAITING_PER_REQUESTER || (!isFirst && count >= MAX_WAITING)) {
      throw new NacreError(
        "limit_reached",
        `${queue.waiting.length} of your searches wait already`,
        {
          suggestion: "Wait for the answers of those under way before you send more.",
        },
      );
    }
    this.#queues.set(name, queue);
    await new Promise<void>((resolve) => void queue.waiting.push(resolve));
  }

  #next(): void {
    const all = [...this.#queues];
    const [name, queue] = all.find(([, { isFirst }]) => isFirst) ?? all[0] ?? [];
    if (name === undefined || !queue) return;
    const begin = queue.waiting.shift();
    this.#queues.delete(name);
    if (queue.waiting.length > 0) this.#queues.set(name, queue);
    // Taken now, so that nobody who comes in the meantime is faster.
    this.#isBusy = true;
    begin?.();
  }
}

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
