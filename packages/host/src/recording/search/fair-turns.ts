import { NacreError } from "@nacre/contracts";

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
export class SearchQueue {
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
