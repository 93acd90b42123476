import { type EntityEventEnvelope, type EntityEventsMessage } from "@nacre/contracts";
import type { EventFeed } from "../event-pump.ts";

/** Lets everything that is ready happen. */
export const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Events that are kept for ever, with feeds that take their time to open: before they begin, and after. */
export class SlowEvents {
  readonly #events: EntityEventEnvelope[] = [];
  readonly #feeds = new Set<SlowFeed>();
  /** How many turns the next feed takes before and after it begins. */
  delays: readonly [before: number, after: number] = [0, 0];

  /** Whether no feed can be opened. */
  isBroken = false;

  get openFeeds(): number {
    return this.#feeds.size;
  }

  /** Tells an event, and returns its id. */
  publish(channel: string): string {
    const eventId = `e${this.#events.length + 1}`;
    const [entityId = ""] = channel.split(".");
    const occurredAt = new Date(0).toISOString();
    const event = {
      eventId,
      entityId,
      channel,
      eventName: "x",
      kind: "t.x",
      occurredAt,
      payload: 0,
    };
    this.#events.push(event);
    for (const feed of this.#feeds) feed.push(event);
    return eventId;
  }

  readonly open = async (channels: readonly string[], after?: string): Promise<EventFeed> => {
    const [before, behind] = this.delays;
    for (let step = 0; step < before; step++) await turn();
    if (this.isBroken) throw new Error("no feed");
    const feed = new SlowFeed(channels, () => this.#feeds.delete(feed));
    this.#feeds.add(feed);
    const place = this.#events.findIndex(({ eventId }) => eventId === after);
    if (after !== undefined) for (const event of this.#events.slice(place + 1)) feed.push(event);
    for (let step = 0; step < behind; step++) await turn();
    return feed;
  };
}

class SlowFeed implements EventFeed {
  readonly #channels: readonly string[];
  readonly #onEnd: () => void;
  #queue: EntityEventsMessage[] = [];
  #wake: (() => void) | undefined;
  #isEnded = false;

  constructor(channels: readonly string[], onEnd: () => void) {
    this.#channels = channels;
    this.#onEnd = onEnd;
  }

  push(event: EntityEventEnvelope): void {
    if (!this.#channels.includes(event.channel)) return;
    this.#queue.push({ type: "event", event });
    this.#wake?.();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<EntityEventsMessage, void> {
    while (!this.#isEnded) {
      const message = this.#queue.shift();
      if (message) {
        yield message;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#queue = [];
    this.#onEnd();
    this.#wake?.();
  }
}
