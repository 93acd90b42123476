import { giveSpare } from "../pty/spare-pool.ts";
import type { Recorded } from "./appender.ts";
import { type FeedOptions, type FeedSource, TerminalSubscription } from "./subscription.ts";

/** As many chunks as viewers who say what they are done with have on their way; of others it is not known, and their chunks are left to the garbage collector. */
const MAX_LENT = 16;

/** The bytes of an entry that viewers were told of. */
interface Lent {
  readonly sequence: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Everybody who follows one Terminal, each at its own pace. */
export class Viewers implements Disposable {
  readonly #source: FeedSource;
  readonly #all = new Set<TerminalSubscription>();
  #lent: Lent[] = [];

  constructor(source: FeedSource) {
    this.#source = source;
  }

  /** How many there are, but for those that only wait for something. */
  get count(): number {
    return [...this.#all].reduce((sum, { viewers }) => sum + viewers, 0);
  }

  subscribe(options: FeedOptions): TerminalSubscription {
    const subscription = new TerminalSubscription(this.#source, options, (ended) => {
      this.#all.delete(ended);
      // What it took and did not release may still be on its way to somebody.
      this.#lent = this.#lent.filter(({ sequence }) => sequence > ended.position);
    });
    this.#all.add(subscription);
    return subscription;
  }

  /** Tells all of the next entry. */
  offer(recorded: Recorded): void {
    for (const subscription of this.#all) subscription.offer(recorded);
  }

  /** Takes the bytes of an entry that all were told of; they are filled again once all have released them. */
  takeBack(sequence: number, bytes: Uint8Array<ArrayBuffer>): void {
    this.#lent.push({ sequence, bytes });
    const through = Math.min(...[...this.#all].map(({ released }) => released));
    const kept = this.#lent.findIndex((lent) => lent.sequence > through);
    for (const free of this.#lent.splice(0, kept < 0 ? this.#lent.length : kept)) {
      giveSpare(free.bytes);
    }
    if (this.#lent.length > MAX_LENT) this.#lent.shift();
  }

  /** Lets all look again, such as when nothing can follow any more. */
  wake(): void {
    for (const subscription of this.#all) subscription.wake();
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#all) subscription[Symbol.dispose]();
  }
}
