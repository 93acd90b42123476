import type { OutputView, Screen, TerminalFeedMessage } from "@nacre/contracts";
import { CHUNK_BYTES, releaseBuffer } from "../base/buffer-pool.ts";
import { toPublicEntry } from "../recording/recorded-entry.ts";
import type { DrawRequester } from "../screen/history-worker.ts";
import type { EntryWithViews } from "./appender.ts";

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
    // While such a viewer is there, no buffer is reused.
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
    // A viewer may wait for a sequence that does not exist yet.
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

/** What a subscription needs of its Terminal. */
export interface FeedSource {
  /** The newest entry that was told of. */
  readonly lastSequence: number;
  /** Whether no entry can follow any more. */
  readonly isOver: boolean;
  /** A snapshot with everything up to a sequence, and mostly with all that was told of; it names an entry, and what came behind that is told after it. */
  snapshot(atLeast: number, requester?: DrawRequester): Promise<Screen>;
  /** The entries after a sequence, as many as fit; at least one unless there is none. */
  readAfter(sequence: number, maxBytes: number): Promise<readonly EntryWithViews[]>;
}

/** One message of a feed: start from this, or the next entry. */
export type FeedMessage =
  | { readonly kind: "snapshot"; readonly screen: Screen }
  | ({ readonly kind: "entry" } & EntryWithViews);

export interface FeedOptions {
  /** Go on after this sequence without a snapshot; otherwise a snapshot comes first. */
  readonly after?: number | undefined;
  /** What happens to a viewer that falls behind: it `skip`s to a fresh snapshot, or has everything `replay`ed from the recording. */
  readonly whenBehind?: "skip" | "replay" | undefined;
  /** Whether it will say which entries' bytes it is done with (`release`). */
  readonly releases?: boolean | undefined;
  /** Not a viewer, but part of something else that the host does. */
  readonly isInternal?: boolean | undefined;
  /** The id of who follows: screens of ended terminals are drawn in turns of callers. */
  readonly caller?: string | undefined;
  /** For how many viewers it stands, where several share it. */
  readonly countViewers?: (() => number) | undefined;
}

/** Queued per viewer; beyond it, a viewer that does not fetch is skipped forward instead of holding memory. */
export const MAX_QUEUED_BYTES = 512 * 1024;

/** What may wait for a viewer that is fetching at this moment. */
const MAX_FETCHING_BYTES = 2 * MAX_QUEUED_BYTES;

/** What an entry costs beside its bytes, roughly. */
const ENTRY_BYTES = 256;

/** Who is told what becomes of a subscription. */
export interface SubscriptionListener {
  handleEnd?(subscription: TerminalSubscription): void;
  handleRelease?(): void;
}

/** An entry that waits, and what it counted for when it came. */
interface QueuedEntry {
  readonly recorded: EntryWithViews;
  readonly bytes: number;
}

/**
 * A running feed of a terminal: a snapshot, then every entry after it exactly once. Fetching the next message is the
 * viewer's credit.
 */
export class TerminalSubscription implements AsyncIterableIterator<FeedMessage>, Disposable {
  readonly #source: FeedSource;
  readonly #countViewers: () => number;
  readonly #caller: string | undefined;
  readonly #skips: boolean;
  readonly #listener: SubscriptionListener;
  /** What was read from the recording to close a hole; comes before the queue. */
  #page: readonly EntryWithViews[] = [];
  #pageIndex = 0;
  #queue: QueuedEntry[] = [];
  #queuedBytes = 0;
  #position: number;
  #released: number | undefined;
  #needsSnapshot: boolean;
  #snapshotAt = -1;
  #isFetching = false;
  #isEnded = false;
  /** Ends what is drawn for the snapshot when the feed ends. */
  #snapshot: AbortController | undefined;
  #wake: (() => void) | undefined;

  constructor(source: FeedSource, options: FeedOptions, listener: SubscriptionListener) {
    this.#source = source;
    const viewers = options.isInternal ? 0 : 1;
    this.#caller = options.caller;
    this.#countViewers = options.countViewers ?? (() => viewers);
    this.#skips = options.whenBehind !== "replay";
    this.#position = options.after ?? 0;
    this.#released = options.releases ? source.lastSequence : undefined;
    this.#needsSnapshot = options.after === undefined;
    this.#listener = listener;
  }

  /** How many look at the terminal by it. */
  get viewers(): number {
    return this.#countViewers();
  }

  /** The last entry the viewer has, in a snapshot or by itself. */
  get position(): number {
    return this.#position;
  }

  /** Nobody looks any more by it at the bytes of entries up to here; nothing when it does not say so. What was told of before it began it never had. */
  get released(): number | undefined {
    return this.#released;
  }

  /** Says that the bytes of all entries up to this one may be used for something else. */
  release(sequence: number): void {
    if (this.#released === undefined || sequence <= this.#released) return;
    this.#released = sequence;
    this.#listener.handleRelease?.();
  }

  /** Tells of the next entry; never waits. */
  offer(recorded: EntryWithViews): void {
    if (this.#isEnded) return;
    const bytes = weighEntry(recorded);
    this.#queuedBytes += bytes;
    // Who is fetching takes it at once, so that what is committed together need not be read again.
    const maxBytes = this.#isFetching ? MAX_FETCHING_BYTES : MAX_QUEUED_BYTES;
    if (this.#queuedBytes > maxBytes) {
      this.#queue = [];
      this.#queuedBytes = 0;
      // Who is fetching at this moment waits for us, and gets what was dropped from the recording.
      if (this.#skips && !this.#isFetching) this.#needsSnapshot = true;
    } else {
      this.#queue.push({ recorded, bytes });
    }
    this.wake();
  }

  /** Looks again whether there is something to tell. */
  wake(): void {
    this.#wake?.();
    this.#wake = undefined;
  }

  /** The next message; one call at a time. */
  async next(): Promise<IteratorResult<FeedMessage, undefined>> {
    this.#isFetching = true;
    try {
      const value = await this.#fetch();
      return value ? { done: false, value } : { done: true, value: undefined };
    } catch (error) {
      this[Symbol.dispose]();
      throw error;
    } finally {
      this.#isFetching = false;
    }
  }

  return(): Promise<IteratorResult<FeedMessage, undefined>> {
    this[Symbol.dispose]();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#queue = [];
    this.#snapshot?.abort();
    this.#listener.handleEnd?.(this);
    this.wake();
  }

  async #fetch(): Promise<FeedMessage | undefined> {
    while (!this.#isEnded) {
      if (this.#needsSnapshot) return await this.#start();
      const recorded = this.#take();
      if (recorded) return { kind: "entry", ...recorded };
      if (this.#position < this.#source.lastSequence) {
        await this.#catchUp();
      } else if (this.#source.isOver) {
        this[Symbol.dispose]();
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
    return undefined;
  }

  async #start(): Promise<FeedMessage> {
    const had = Math.min(this.#position, this.#source.lastSequence);
    this.#snapshot = new AbortController();
    const requester = { caller: this.#caller, signal: this.#snapshot.signal };
    const screen = await this.#source.snapshot(had, requester);
    // Entries that changed nothing on it may be behind the last that did.
    const sequence = Math.max(had, screen.sequence);
    this.#needsSnapshot = false;
    this.#page = [];
    this.#position = sequence;
    this.#snapshotAt = sequence;
    return { kind: "snapshot", screen: { ...screen, sequence } };
  }

  /** The entry after the position, if it is here. */
  #take(): EntryWithViews | undefined {
    const paged = this.#page[this.#pageIndex];
    if (paged) {
      this.#pageIndex++;
      this.#position = paged.entry.sequence;
      return paged;
    }
    for (;;) {
      const first = this.#queue[0];
      if (!first || first.recorded.entry.sequence > this.#position + 1) return undefined;
      this.#queue.shift();
      this.#queuedBytes -= first.bytes;
      const { recorded } = first;
      if (recorded.entry.sequence <= this.#position) continue;
      this.#position = recorded.entry.sequence;
      return recorded;
    }
  }

  async #catchUp(): Promise<void> {
    const page = await this.#source.readAfter(this.#position, MAX_QUEUED_BYTES);
    const first = page[0]?.entry.sequence;
    // What was removed from the recording cannot be told any more; a snapshot has what came of it.
    const isMissing = first !== this.#position + 1;
    if (isMissing && this.#position !== this.#snapshotAt) {
      this.#needsSnapshot = true;
      return;
    }
    this.#page = page;
    this.#pageIndex = 0;
    if (first === undefined) this.#position = this.#source.lastSequence;
  }
}

function weighEntry({ entry, view, drawn }: EntryWithViews): number {
  const data = entry.type === "input" || entry.type === "output" ? entry.data : undefined;
  let bytes = ENTRY_BYTES;
  for (const part of new Set([data, view, drawn])) bytes += part?.byteLength ?? 0;
  return bytes;
}

/** A message of a feed as other processes see it: its data as text, in the view asked for. */
export function toPublicMessage(
  message: FeedMessage,
  shown: OutputView = "stripped",
): TerminalFeedMessage {
  if (message.kind === "snapshot") return message;
  const { entry, view } = message;
  const isStripped = shown === "stripped" && entry.type === "output" && view !== undefined;
  return { kind: "entry", entry: toPublicEntry(isStripped ? { ...entry, data: view } : entry) };
}
