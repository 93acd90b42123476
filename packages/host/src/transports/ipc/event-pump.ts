import { setImmediate as turn } from "node:timers/promises";
import type { EntityEventsMessage, EntryTypes } from "@nacre/contracts";
import type { LineWriter } from "./ipc-message.ts";

export type EventFeed = AsyncIterable<EntityEventsMessage> & Disposable;

/** From now on or from after an event; entries may be filtered by type. */
export type OpenFeed = (
  channels: readonly string[],
  after?: string,
  types?: EntryTypes,
) => Promise<EventFeed>;

/** The events of one connection. Its channels can change without losing or repeating an event. */
export class EventPump implements Disposable {
  readonly #open: OpenFeed;
  readonly #writer: LineWriter;
  readonly #handleFault: (error: unknown) => void;
  #channels: readonly string[] = [];
  /** Absent: all types. */
  types: EntryTypes | undefined;
  #feed: EventFeed | undefined;
  #running: Promise<void> = Promise.resolve();
  /** From any feed. */
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

  /** In order of subscription. */
  get channels(): readonly string[] {
    return this.#channels;
  }

  /** Replaces all channels; one call at a time. `after` applies where nothing was heard yet. */
  async setChannels(channels: readonly string[], after?: string): Promise<void> {
    const next = channels.length === 0 ? undefined : await this.#openNext(channels, after);
    this.#channels = channels;
    this.#feed?.[Symbol.dispose]();
    this.#feed = next;
    this.#resume();
    // Already taken messages come before the new feed's.
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

  /** Starts exactly where the running one is. */
  async #openNext(channels: readonly string[], after?: string): Promise<EventFeed> {
    if (this.#lastEventId === undefined) {
      const feed = await this.#open(channels, after, this.types);
      // Either the running feed had nothing until the new one was there, or there is now an event to start after.
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
      // The replacing feed has this message, too.
      if (feed !== this.#feed) return;
      if (message.type === "event") this.#lastEventId = message.event.eventId;
      await this.#writer.write(message);
    }
  }
}
