import { randomBytes } from "node:crypto";
import {
  channelOf,
  type EntityContract,
  type EntityEventEnvelope,
  EntityId,
  kindOf,
  NacreError,
  parse,
  type TerminalOwnerReference,
} from "@nacre/contracts";
import type { z } from "zod";
import {
  type ChannelMatcher,
  type ChannelParts,
  compilePatterns,
  tableOf,
} from "./channel-pattern.ts";
import { approximateBytes, EventSubscription, type SizedEvent } from "./event-subscription.ts";

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
class RecentEvents {
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

/** Each event is offered to each listener; a bound keeps publishing cheap. */
export const MAX_LISTENERS = 4096;

/** How long events are kept for a listener that left and may resume: a connection is back by then or the listener reads anew. */
export const RESUME_MS = 30_000;

/** So many listeners that left are waited for; for more, the oldest reads anew. */
const MAX_AWAITED = 64;

type EventNameIn<Contract extends EntityContract> = keyof Contract["events"] & string;

/** What a publisher gives: which event of which entity, and its payload; the rest follows from the contract. */
export interface Publication<Contract extends EntityContract, Name extends EventNameIn<Contract>> {
  readonly contract: Contract;
  readonly entityId: string;
  readonly eventName: Name;
  readonly payload: z.input<Contract["events"][Name]["payload"]>;
  /** The owner of the terminal that the event is about. */
  readonly owner?: TerminalOwnerReference | undefined;
}

/** An event that may be published, and whose it is. */
export interface OwnedChannel extends ChannelParts {
  readonly owner?: TerminalOwnerReference | undefined;
}

/** Whether a listener may hear an event of this entity and owner. */
type MayHear = (event: Pick<OwnedChannel, "entityId" | "owner">) => boolean;

export interface ListenOptions {
  /** Patterns of channels. */
  readonly channels: readonly string[];
  /** The `eventId` heard last, to resume after it. */
  readonly after?: string | undefined;
  /** Whether the listener may come back with `after`, so that events are kept for it for a while. */
  readonly isResumable?: boolean;
  /** Whose events the listener may hear; those of everybody when absent. Nothing is made or kept for it of others. */
  readonly mayHear?: MayHear | undefined;
}

/** Which events somebody hears. */
interface EventFilter {
  readonly matcher: ChannelMatcher;
  readonly mayHear: MayHear;
}

interface Listener extends EventFilter {
  readonly subscription: EventSubscription;
}

interface DepartedListener extends EventFilter {
  /** Unix ms. */
  readonly until: number;
}

/** Carries the events that contracts declare from publishers to listeners; no listener can slow a publisher or another listener. */
export class Bus implements Disposable {
  /** Different in each run, so that an `eventId` of an earlier run is not mistaken for one of this. */
  readonly #run = randomBytes(9).toString("hex");
  readonly #listeners = new Set<Listener>();
  readonly #recent = new RecentEvents();
  readonly #now: () => number;
  #awaited: readonly DepartedListener[] = [];
  #place = 0;
  #isClosed = false;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Publishes an event; one that the contract does not declare, or with another payload, throws and is sent to nobody. */
  publish<Contract extends EntityContract, Name extends EventNameIn<Contract>>(
    publication: Publication<Contract, Name>,
  ): EntityEventEnvelope {
    const { contract, entityId, eventName } = publication;
    const payload = checkPublication(contract, publication);
    const place = (this.#place += 1);
    const envelope: EntityEventEnvelope = Object.freeze({
      eventId: `${this.#run}-${place}`,
      entityId,
      channel: channelOf(entityId, eventName),
      eventName,
      kind: kindOf(contract.entityName, eventName),
      occurredAt: new Date(this.#now()).toISOString(),
      payload,
    });
    const { owner } = publication;
    const event = { envelope, bytes: approximateBytes(payload), owner };
    this.#recent.add(place, event);
    for (const listener of this.#listeners) {
      if (hears(listener, publication)) listener.subscription.push(event);
    }
    return envelope;
  }

  /** Says that events of a channel are left out, to who hears it: they are to read anew. */
  skip(channel: OwnedChannel, reason: string): void {
    this.#place += 1;
    this.#recent.miss(this.#place, channel);
    for (const listener of this.#listeners) {
      if (hears(listener, channel)) listener.subscription.resync(reason);
    }
  }

  /**
   * Whether anybody hears this event, or may still resume and hear it. A publisher that is told no leaves the event
   * out, and the Bus remembers that: who resumes later is told to read anew.
   */
  hasListener(channel: OwnedChannel): boolean {
    for (const listener of this.#listeners) if (hears(listener, channel)) return true;
    if (this.#isAwaited(channel)) return true;
    this.#place += 1;
    this.#recent.miss(this.#place, channel);
    return false;
  }

  /** Hears the events of channels from now on, or from after an event; a `resync` comes first where that is not possible. */
  subscribe({
    channels,
    after,
    isResumable = false,
    mayHear = () => true,
  }: ListenOptions): EventSubscription {
    if (this.#isClosed) throw new NacreError("unavailable", "no more events are published");
    const matcher = compilePatterns(channels);
    if (this.#listeners.size >= MAX_LISTENERS) {
      throw new NacreError("limit_reached", `${MAX_LISTENERS} listeners hear events already`);
    }
    const subscription = new EventSubscription(() => {
      this.#listeners.delete(listener);
      if (isResumable) this.#await({ matcher, mayHear });
    });
    const listener = { matcher, mayHear, subscription };
    this.#listeners.add(listener);
    if (after !== undefined) this.#resume(listener, after);
    return subscription;
  }

  /** Ends all subscriptions; events can still be published, and nobody hears them. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const { subscription } of this.#listeners) subscription[Symbol.dispose]();
    this.#awaited = [];
  }

  #resume({ matcher, mayHear, subscription }: Listener, after: string): void {
    const place = this.#placeOf(after);
    const missed = place === undefined ? undefined : this.#recent.since(place, matcher, mayHear);
    if (missed === undefined) return subscription.resync("events since then are not kept any more");
    for (const event of missed) subscription.push(event);
  }

  /** The place of an event of this run. */
  #placeOf(eventId: string): number | undefined {
    const [run, place, ...rest] = eventId.split("-", 3);
    if (run !== this.#run || place === undefined || rest.length > 0) return undefined;
    const number = /^[0-9]{1,15}$/.test(place) ? Number(place) : Number.NaN;
    return number <= this.#place ? number : undefined;
  }

  #isAwaited(channel: OwnedChannel): boolean {
    if (this.#awaited.length === 0) return false;
    const now = this.#now();
    this.#awaited = this.#awaited.filter(({ until }) => until > now);
    return this.#awaited.some((awaited) => hears(awaited, channel));
  }

  #await(hearing: EventFilter): void {
    const awaited = { ...hearing, until: this.#now() + RESUME_MS };
    this.#awaited = [...this.#awaited, awaited].slice(-MAX_AWAITED);
  }
}

const hears = ({ matcher, mayHear }: EventFilter, channel: OwnedChannel): boolean =>
  matcher.matches(channel) && mayHear(channel);

/** The payload as its contract knows it; throws when entity, event or payload is not what the contract says. */
function checkPublication(
  { entityName, table, events }: EntityContract,
  { entityId, eventName, payload }: { entityId: string; eventName: string; payload: unknown },
): unknown {
  const event = Object.hasOwn(events, eventName) ? events[eventName] : undefined;
  if (event === undefined) {
    throw new NacreError("invalid_argument", `${entityName} has no event ${eventName}`, {
      field: "eventName",
      suggestion: `It has ${Object.keys(events).join(", ")}.`,
    });
  }
  if (!parse(EntityId, entityId, "entityId").startsWith(`${table}:`)) {
    throw new NacreError("invalid_argument", `${entityId} is no ${entityName}`, {
      field: "entityId",
    });
  }
  return parse(event.payload, payload, "payload");
}
