import type { Recorded } from "./appender.ts";
import { type FeedOptions, type FeedSource, TerminalSubscription } from "./subscription.ts";

/** Everybody who follows one Terminal, each at its own pace. */
export class Viewers implements Disposable {
  readonly #source: FeedSource;
  readonly #all = new Set<TerminalSubscription>();

  constructor(source: FeedSource) {
    this.#source = source;
  }

  /** How many there are, but for those that only wait for something. */
  get count(): number {
    return [...this.#all].reduce((sum, { viewers }) => sum + viewers, 0);
  }

  get isEmpty(): boolean {
    return this.#all.size === 0;
  }

  subscribe(options: FeedOptions): TerminalSubscription {
    const subscription = new TerminalSubscription(this.#source, options, (ended) => {
      this.#all.delete(ended);
    });
    this.#all.add(subscription);
    return subscription;
  }

  /** Tells all of the next entry. */
  offer(recorded: Recorded): void {
    for (const subscription of this.#all) subscription.offer(recorded);
  }

  /** Lets all look again, such as when nothing can follow any more. */
  wake(): void {
    for (const subscription of this.#all) subscription.wake();
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#all) subscription[Symbol.dispose]();
  }
}
