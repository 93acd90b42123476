import { CHUNK_BYTES } from "../pty/chunk-bytes.ts";
import { releaseBuffer } from "../pty/spare-pool.ts";
import type { EntryWithViews } from "./appender.ts";
import { type FeedOptions, type FeedSource, TerminalSubscription } from "./subscription.ts";

/** As many chunks as a slow viewer has on its way; more are left to the garbage collector. */
const MAX_LEASED = 16;

/** The bytes of an entry that viewers were told of. */
interface LeasedBuffer {
  readonly sequence: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

/** Everybody who follows one Terminal, each at its own pace. */
export class Viewers implements Disposable {
  readonly #source: FeedSource;
  readonly #all = new Set<TerminalSubscription>();
  #leased: LeasedBuffer[] = [];
  /** Somebody left who may still have the bytes of entries up to here on its way. */
  #leftThrough = 0;

  constructor(source: FeedSource) {
    this.#source = source;
  }

  /** How many there are, but for those that only wait for something. */
  get count(): number {
    return [...this.#all].reduce((sum, { viewers }) => sum + viewers, 0);
  }

  subscribe(options: FeedOptions): TerminalSubscription {
    // While it is there nothing is given back.
    if (!options.releases) this.#leased = [];
    const subscription = new TerminalSubscription(this.#source, options, {
      handleEnd: (ended) => this.#handleEnd(ended),
      handleRelease: () => this.#releaseLeased(),
    });
    this.#all.add(subscription);
    return subscription;
  }

  /** Tells all of the next entry. */
  offer(recorded: EntryWithViews): void {
    for (const subscription of this.#all) subscription.offer(recorded);
  }

  /** Takes the bytes of an entry that all were told of; they are filled again once all have released them. */
  recycle(sequence: number, bytes: Uint8Array<ArrayBuffer>): void {
    if (bytes.buffer.byteLength !== CHUNK_BYTES || sequence <= this.#leftThrough) return;
    if ([...this.#all].some(({ released }) => released === undefined)) return;
    this.#leased.push({ sequence, bytes });
    this.#releaseLeased();
    if (this.#leased.length > MAX_LEASED) this.#leased.shift();
  }

  /** Lets all look again, such as when nothing can follow any more. */
  wake(): void {
    for (const subscription of this.#all) subscription.wake();
  }

  [Symbol.dispose](): void {
    for (const subscription of this.#all) subscription[Symbol.dispose]();
  }

  #handleEnd(ended: TerminalSubscription): void {
    this.#all.delete(ended);
    // Whoever waits for what is to come has a position that is not there yet.
    const told = Math.min(ended.position, this.#source.lastSequence);
    this.#leftThrough = Math.max(this.#leftThrough, told);
    this.#leased = this.#leased.filter(({ sequence }) => sequence > this.#leftThrough);
    this.#releaseLeased();
  }

  #releaseLeased(): void {
    const through = Math.min(...[...this.#all].map(({ released }) => released ?? 0));
    const kept = this.#leased.findIndex(({ sequence }) => sequence > through);
    const free = this.#leased.splice(0, kept < 0 ? this.#leased.length : kept);
    for (const { bytes } of free) releaseBuffer(bytes);
  }
}
