import { type ChannelMatcher, type ChannelParts, tableOf } from "./channel-pattern.ts";
import type { SizedEvent } from "./event-subscription.ts";

/** Enough for the seconds that a connection takes to come back. */
export const MAX_RECENT_EVENTS = 1024;

/** About how much memory recent events may take together. */
export const MAX_RECENT_BYTES = 4 * 1024 * 1024;

/** Of so many entities of a table it is known that an event is missing; of more, all entities count as missing it. */
export const MAX_MISSING_ENTITIES = 1024;

/** Where one event of the entities of one table is missing. */
interface MissingEvents {
  readonly table: string;
  readonly eventName: string;
  /** By entity, the place of the last event that cannot be had any more; noted longest ago first. */
  readonly places: Map<string, number>;
  /** Up to this place it may be missing of any entity. */
  upTo: number;
}

/** The newest events, and of which channels events are missing, so that nobody resumes over a hole without being told. */
export class RecentEvents {
  /** By place, which grows with each event. */
  readonly #events = new Map<number, SizedEvent>();
  #bytes = 0;
  readonly #missing = new Map<string, MissingEvents>();

  add(place: number, event: SizedEvent): void {
    this.#events.set(place, event);
    this.#bytes += event.bytes;
    for (const [oldest, { envelope, bytes }] of this.#events) {
      if (this.#events.size <= MAX_RECENT_EVENTS && this.#bytes <= MAX_RECENT_BYTES) return;
      this.#events.delete(oldest);
      this.#bytes -= bytes;
      this.miss(oldest, envelope);
    }
  }

  /** An event of this channel is not kept. */
  miss(place: number, { entityId, eventName }: ChannelParts): void {
    const missing = this.#missingOf(tableOf(entityId), eventName);
    const { places } = missing;
    const known = places.get(entityId) ?? 0;
    places.delete(entityId);
    places.set(entityId, Math.max(known, place));
    if (places.size <= MAX_MISSING_ENTITIES) return;
    const [oldest] = places;
    if (oldest === undefined) return;
    places.delete(oldest[0]);
    missing.upTo = Math.max(missing.upTo, oldest[1]);
  }

  /** What was published after a place and matches; undefined when some of it cannot be had any more. */
  since(
    place: number,
    matcher: ChannelMatcher,
    mayHear: (event: Pick<SizedEvent, "owner"> & { readonly entityId: string }) => boolean,
  ): readonly SizedEvent[] | undefined {
    for (const missing of this.#missing.values()) {
      if (isMissing(missing, place, matcher)) return undefined;
    }
    return [...this.#events]
      .filter(
        ([at, { envelope, owner }]) =>
          at > place &&
          matcher.matches(envelope) &&
          mayHear({ entityId: envelope.entityId, owner }),
      )
      .map(([, event]) => event);
  }

  #missingOf(table: string, eventName: string): MissingEvents {
    const key = `${table}.${eventName}`;
    const known = this.#missing.get(key);
    if (known !== undefined) return known;
    const missing = { table, eventName, places: new Map<string, number>(), upTo: 0 };
    this.#missing.set(key, missing);
    return missing;
  }
}

function isMissing(missing: MissingEvents, after: number, matcher: ChannelMatcher): boolean {
  const { table, eventName, places, upTo } = missing;
  if (!matcher.mayMatch(table, eventName)) return false;
  if (upTo > after) return true;
  for (const [entityId, place] of places) {
    if (place > after && matcher.matches({ entityId, eventName })) return true;
  }
  return false;
}
