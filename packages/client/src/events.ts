import {
  type EntityEventsInput,
  EntityEventsMessage,
  parse,
  SUBSCRIPTIONS,
} from "@nacre/contracts";
import { readAnswer } from "./failure.ts";
import {
  type Feed,
  follow,
  type Following,
  type FollowOptions,
  type FollowWire,
} from "./follow.ts";
import { encodeQuery } from "./http-wire.ts";
import type { SseEvent } from "./sse.ts";

const { http, input: Input } = SUBSCRIPTIONS.entityEvents;

export interface EventsOptions extends FollowOptions {
  /** Patterns of channels, such as `terminal:*.data.changed`. */
  readonly channels: readonly string[];
  /** The `eventId` heard last, to resume after it. */
  readonly after?: string | undefined;
}

/** Hears events; each once and in order, over lost connections too, and a `resync` wherever some may be missing. */
export function followEvents(
  over: FollowWire,
  { channels, after, ...options }: EventsOptions,
): Following<EntityEventsMessage> {
  const input = parse(Input, { channel: [...channels], ...(after === undefined ? {} : { after }) });
  return follow(over, new EventFeed(input), options);
}

class EventFeed implements Feed<EntityEventsMessage> {
  readonly #path: string;
  /** What the host is told to continue after; it decides what its ids look like. */
  #lastEventId: string | undefined;

  constructor({ channel, after }: EntityEventsInput) {
    this.#path = http.path + encodeQuery({ channel });
    this.#lastEventId = after;
  }

  request() {
    const id = this.#lastEventId;
    return { path: this.#path, ...(id === undefined ? {} : { headers: { "last-event-id": id } }) };
  }

  connected(isAgain: boolean, lastEventId: string): readonly EntityEventsMessage[] {
    // Without an id there was nothing to continue after, and events since then may be missing.
    const isUncertain = isAgain && this.#lastEventId === undefined;
    if (lastEventId !== "") this.#lastEventId = lastEventId;
    return isUncertain ? [{ type: "resync", reason: "the connection was lost for a while" }] : [];
  }

  read({ data, lastEventId }: SseEvent): readonly EntityEventsMessage[] {
    const message = readAnswer(EntityEventsMessage, JSON.parse(data));
    const id = lastEventId || (message.type === "event" ? message.event.eventId : "");
    if (id !== "") this.#lastEventId = id;
    return [message];
  }
}
