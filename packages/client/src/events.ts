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
  /** Such as `terminal:*.data.changed`. */
  readonly channels: readonly string[];
  /** Resumes after this `eventId`. */
  readonly after?: string | undefined;
}

/** Each once and in order, across lost connections, with a `resync` wherever some may be missing. */
export function followEvents(
  over: FollowWire,
  { channels, after, ...options }: EventsOptions,
): Following<EntityEventsMessage> {
  const input = parse(Input, { channel: [...channels], ...(after === undefined ? {} : { after }) });
  return follow(over, new EventFeed(input), options);
}

class EventFeed implements Feed<EntityEventsMessage> {
  readonly #path: string;
  /** `Last-Event-ID`; opaque. */
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
    // Without an id there was nothing to resume after, so events may be missing.
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
