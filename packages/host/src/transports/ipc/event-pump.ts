import { setImmediate as turn } from "node:timers/promises";
import type { EntityEventsMessage, EntryTypes } from "@nacre/contracts";
import type { LineWriter } from "./ipc-message.ts";

/** A running feed of events. */
export type EventFeed = AsyncIterable<EntityEventsMessage> & Disposable;

/** Opens a feed of these channels, from now on or from after an event; of entries, only those of some types. */
export type OpenFeed = (
  channels: readonly string[],
  after?: string,
  types?: EntryTypes,
) => Promise<EventFeed>;

/** The events one connection hears. Its channels can change while it runs: no event is lost or told twice by that. */
export class EventPump implements Disposable {
  readonly #open: OpenFeed;
  readonly #writer: LineWriter;
  readonly #handleFault: (error: unknown) => void;
  #channels: readonly string[] = [];
  /** Which entries are heard; those of all types when absent. */
  types: EntryTypes | undefined;
  #feed: EventFeed | undefined;
  #running: Promise<void> = Promise.resolve();
  /** The newest event that was taken from a feed. */
  #lastEventId: string | undefined;
  /** While channels change, nothing more is taken. */
  #pause: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  constructor(parts: {
    readonly open: OpenFeed;
    readonly writer: LineWriter;
    readonly handleFault: (error: unknown) => void;
  }) {
    this.#open = parts.open;
    this.#writer = parts.writer;
    this.#handleFault = parts.handleFault;
  }

  /** The patterns that are heard, in the order they came. */
  get channels(): readonly string[] {
    return this.#channels;
  }

  /** Hears these channels and no others; one call at a time. `after` counts where nothing was heard yet. */
  async setChannels(channels: readonly string[], after?: string): Promise<void> {
    const next = channels.length === 0 ? undefined : await this.#openNext(channels, after);
    this.#channels = channels;
    this.#feed?.[Symbol.dispose]();
    this.#feed = next;
    this.#resume();
    // What was taken already is still told, and comes before everything of the new feed.
    await this.#running;
    if (this.#isClosed) next?.[Symbol.dispose]();
    else if (next) this.#running = this.#run(next).catch(this.#handleFault);
    else this.#lastEventId = undefined;
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#channels = [];
    this.#feed?.[Symbol.dispose]();
    this.#feed = undefined;
  }

  /** A feed that begins exactly where the running one is. */
  async #openNext(channels: readonly string[], after?: string): Promise<EventFeed> {
    if (this.#lastEventId === undefined) {
      const feed = await this.#open(channels, after, this.types);
      // The running feed had nothing to tell until the new one was there; otherwise there is now an event to begin behind.
      if (this.#feed !== undefined) await turn();
      if (this.#lastEventId === undefined) return feed;
      feed[Symbol.dispose]();
    }
    this.#pause = Promise.withResolvers();
    try {
      return await this.#open(channels, this.#lastEventId, this.types);
    } catch (error) {
      this.#resume();
      throw error;
    }
  }

  #resume(): void {
    this.#pause?.resolve();
    this.#pause = undefined;
  }

  async #run(feed: EventFeed): Promise<void> {
    for await (const message of feed) {
      while (this.#pause) await this.#pause.promise;
      // The feed that came instead has this message too.
      if (feed !== this.#feed) return;
      if (message.type === "event") this.#lastEventId = message.event.eventId;
      await this.#writer.write(message);
    }
  }
}
