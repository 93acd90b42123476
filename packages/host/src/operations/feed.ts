import type {
  EntityEventEnvelope,
  EntityEventsMessage,
  EntryTypes,
  SubscriptionMessage,
  SubscriptionName,
  TerminalData,
  TerminalRecordingEntry,
} from "@nacre/contracts";
import type { Bus } from "../bus/bus.ts";

/** Cached as long as the event is referenced. */
const encoded = new WeakMap<EntityEventEnvelope, Buffer>();

/** All listeners on every wire share the same bytes. */
export function encodeEventMessage(message: EntityEventsMessage): Buffer {
  const event = message.type === "event" ? message.event : undefined;
  const known = event && encoded.get(event);
  if (known) return known;
  const bytes = Buffer.from(JSON.stringify(message));
  if (event) encoded.set(event, bytes);
  return bytes;
}

type Events = ReturnType<Bus["subscribe"]>;

/** Filters entries by type. */
export class FilteredEvents implements Feed<"entityEvents"> {
  readonly #events: Events;
  readonly #iterator: AsyncIterator<EntityEventsMessage, undefined>;
  readonly #types: ReadonlySet<string> | undefined;

  constructor(events: Events, types: EntryTypes | undefined) {
    this.#events = events;
    this.#iterator = events[Symbol.asyncIterator]();
    this.#types = types && new Set(types);
  }

  async next(): Promise<IteratorResult<EntityEventsMessage, undefined>> {
    for (;;) {
      const result = await this.#iterator.next();
      if (result.done || result.value.type === "resync") return result;
      const event = this.#typed(result.value.event);
      if (event) return { done: false, value: { type: "event", event } };
    }
  }

  return(): Promise<IteratorResult<EntityEventsMessage, undefined>> {
    this[Symbol.dispose]();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    this.#events[Symbol.dispose]();
  }

  /** Undefined when nothing of it is left. */
  #typed(event: EntityEventEnvelope): EntityEventEnvelope | undefined {
    const types = this.#types;
    if (!types) return event;
    // The bus has checked the payload against the contract.
    if (ENTRY_KINDS.has(event.kind)) {
      return types.has((event.payload as TerminalRecordingEntry).type) ? event : undefined;
    }
    if (event.kind !== "terminal.data.changed") return event;
    const data = event.payload as TerminalData;
    const recordingEntries = data.recordingEntries.filter(({ type }) => types.has(type));
    return { ...event, payload: { ...data, recordingEntries } };
  }
}

const ENTRY_KINDS: ReadonlySet<string> = new Set([
  "terminal.recordingEntry.appended",
  "terminalRecordingEntry.data.changed",
]);

/** Read by one loop at its own pace; ends when disposed of, the loop is left, or the client is gone. */
export interface Feed<Name extends SubscriptionName>
  extends AsyncIterableIterator<SubscriptionMessage<Name>>, Disposable {}

/** Dispose of the result with the feed, for a client may outlive many feeds. */
export function disposeOnAbort(signal: AbortSignal | undefined, feed: Disposable): Disposable {
  const end = (): void => feed[Symbol.dispose]();
  if (signal?.aborted) end();
  else signal?.addEventListener("abort", end, { once: true });
  return { [Symbol.dispose]: () => signal?.removeEventListener("abort", end) };
}

/** Ends with its client. */
export class ClientFeed<Name extends SubscriptionName> implements Feed<Name> {
  readonly #feed: Feed<Name>;
  readonly #watch: Disposable;

  constructor(feed: Feed<Name>, signal: AbortSignal | undefined) {
    this.#feed = feed;
    this.#watch = disposeOnAbort(signal, feed);
  }

  next(): Promise<IteratorResult<SubscriptionMessage<Name>, undefined>> {
    return this.#feed.next();
  }

  return(): Promise<IteratorResult<SubscriptionMessage<Name>, undefined>> {
    this[Symbol.dispose]();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  [Symbol.dispose](): void {
    this.#watch[Symbol.dispose]();
    this.#feed[Symbol.dispose]();
  }
}
