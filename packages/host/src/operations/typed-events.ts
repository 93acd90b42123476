import type {
  EntityEventEnvelope,
  EntityEventsMessage,
  EntryTypes,
  TerminalData,
  TerminalRecordingEntry,
} from "@nacre/contracts";
import type { Bus } from "../bus/bus.ts";
import type { Feed } from "./feed.ts";

type Events = ReturnType<Bus["subscribe"]>;

/** The events of a subscription as its listener wants them: of entries, only those of some types. */
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

  /** The event with nothing of other types, or nothing when it is of another type itself. */
  #typed(event: EntityEventEnvelope): EntityEventEnvelope | undefined {
    const types = this.#types;
    if (!types) return event;
    // The contracts of these kinds say what they carry; the bus has checked it.
    if (ENTRY_KINDS.has(event.kind)) {
      return types.has((event.payload as TerminalRecordingEntry).type) ? event : undefined;
    }
    if (event.kind !== "terminal.data.changed") return event;
    const data = event.payload as TerminalData;
    const recordingEntries = data.recordingEntries.filter(({ type }) => types.has(type));
    return { ...event, payload: { ...data, recordingEntries } };
  }
}

/** The events that carry an entry. */
const ENTRY_KINDS: ReadonlySet<string> = new Set([
  "terminal.recordingEntry.appended",
  "terminalRecordingEntry.data.changed",
]);
