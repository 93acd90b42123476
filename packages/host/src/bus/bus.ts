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

/** Covers the seconds that a connection takes to come back. */
export const MAX_RECENT_EVENTS = 1024;

/** Approximate memory of all recent events. */
export const MAX_RECENT_BYTES = 4 * 1024 * 1024;

/** Missing events are tracked for so many entities per table; beyond that, every entity counts as missing one. */
export const MAX_MISSING_ENTITIES = 1024;

interface MissingEvents {
  readonly table: string;
  readonly eventName: string;
  /** By entity, the position of the last event that is gone; oldest note first. */
  readonly places: Map<string, number>;
  /** Up to this position any entity may miss an event. */
  upTo: number;
}

/** The newest events, and which channels miss some, so that nobody resumes across a hole unnoticed. */
class RecentEvents {
  /** Keyed by position, which grows with each event. */
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

  /** Matching events after a position; undefined when some of them are gone. */
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

/** Each event is offered to each listener; the bound keeps publishing cheap. */
export const MAX_LISTENERS = 4096;

/** How long events are kept for a listener that left. A connection is back by then, or the listener reads anew. */
export const RESUME_MS = 30_000;

/** Beyond this, the listener that left first has to read anew. */
const MAX_AWAITED = 64;

type EventNameIn<Contract extends EntityContract> = keyof Contract["events"] & string;

/** What a publisher passes; the rest of the envelope follows from the contract. */
export interface Publication<Contract extends EntityContract, Name extends EventNameIn<Contract>> {
  readonly contract: Contract;
  readonly entityId: string;
  readonly eventName: Name;
  readonly payload: z.input<Contract["events"][Name]["payload"]>;
  readonly owner?: TerminalOwnerReference | undefined;
}

export interface OwnedChannel extends ChannelParts {
  readonly owner?: TerminalOwnerReference | undefined;
}

type MayHear = (event: Pick<OwnedChannel, "entityId" | "owner">) => boolean;

export interface ListenOptions {
  readonly channels: readonly string[];
  /** Resumes after this `eventId`. */
  readonly after?: string | undefined;
  /** Keeps events for a while after the listener left, so that it can resume with `after`. */
  readonly isResumable?: boolean;
  /** Absent: may hear everything. Events that it rejects are neither built nor kept for the listener. */
  readonly mayHear?: MayHear | undefined;
}

interface EventFilter {
  readonly matcher: ChannelMatcher;
  readonly mayHear: MayHear;
}

interface Listener extends EventFilter {
  readonly subscription: EventSubscription;
}

interface DepartedListener extends EventFilter {
  readonly until: number;
}

/** Carries declared events from publishers to listeners. No listener can slow a publisher or another listener. */
export class Bus implements Disposable {
  /** Random per run: an `eventId` of an earlier run never matches. */
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

  /** Throws, and sends nothing, when the contract does not declare the event or its payload does not match. */
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

  /** Tells listeners of a channel that events were left out and they have to read anew. */
  skip(channel: OwnedChannel, reason: string): void {
    this.#place += 1;
    this.#recent.miss(this.#place, channel);
    for (const listener of this.#listeners) {
      if (hears(listener, channel)) listener.subscription.resync(reason);
    }
  }

  /**
   * Whether anybody hears this event, or may still resume and hear it. After a no the publisher skips the event; the
   * bus notes the hole, so that a later resume gets a `resync`.
   */
  hasListener(channel: OwnedChannel): boolean {
    for (const listener of this.#listeners) if (hears(listener, channel)) return true;
    if (this.#isAwaited(channel)) return true;
    this.#place += 1;
    this.#recent.miss(this.#place, channel);
    return false;
  }

  /** Follows channels from now on or from after an event; a `resync` comes first where that is impossible. */
  subscribe({
    channels,
    after,
    isResumable = false,
    mayHear = () => true,
  }: ListenOptions): EventSubscription {
    if (this.#isClosed) throw new NacreError("unavailable", "the event bus is closed");
    const matcher = compilePatterns(channels);
    if (this.#listeners.size >= MAX_LISTENERS) {
      throw new NacreError("limit_reached", `${MAX_LISTENERS} listeners are subscribed already`);
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

  /** Ends all subscriptions; later events reach nobody. */
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

/** The parsed payload; throws where entity, event or payload differs from the contract. */
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
    throw new NacreError("invalid_argument", `${entityId} is not a ${entityName}`, {
      field: "entityId",
    });
  }
  return parse(event.payload, payload, "payload");
}
