import { z } from "zod";
import { UID_PATTERN } from "./ids.ts";
import { Timestamp } from "./timestamp.ts";

const TABLE = "[a-z][a-z0-9_]{0,63}";
const NAME = "[A-Za-z][A-Za-z0-9]{0,63}";
/** An event has a few words; a bound keeps patterns cheap to compare. */
const MAX_EVENT_WORDS = 8;
const EVENT = `${NAME}(?:\\.${NAME}){0,${MAX_EVENT_WORDS - 1}}`;

const formed = (pattern: string, description: string) =>
  z
    .string()
    .regex(new RegExp(`^${pattern}$`), `expected the form ${pattern}`)
    .meta({ description });

/** Names any entity: its table and its identity there, which has neither dot nor colon. */
export const EntityId = formed(
  `${TABLE}:${UID_PATTERN}`,
  "Identity of an entity, `<table>:<uid>`.",
);
export type EntityId = z.infer<typeof EntityId>;

/** Names an event inside its entity, such as `data.changed`. */
export const EventName = formed(EVENT, "Name of an event in its entity, such as `data.changed`.");
export type EventName = z.infer<typeof EventName>;

/** Addresses one event of one entity, `<entityId>.<eventName>`; derived by the Host, never given by a publisher. */
export const Channel = formed(
  `${TABLE}:${UID_PATTERN}\\.${EVENT}`,
  "Address of one event of one entity, `<entityId>.<eventName>`.",
);
export type Channel = z.infer<typeof Channel>;

/** Selects channels; a star stands for one whole identity or for the rest of the event name, and alone for everything. */
export const ChannelPattern = formed(
  `(?:\\*|${TABLE}:(?:\\*|${UID_PATTERN})\\.(?:\\*|${EVENT}(?:\\.\\*)?))`,
  "Which channels: a channel, or with a star for the identity or the rest of the event name, such as `terminal:*.data.changed`, `terminal:*.*` or `*`.",
);
export type ChannelPattern = z.infer<typeof ChannelPattern>;

/** An event as it travels; it may be missed, and what it tells can always be read again. */
export const EntityEventEnvelopeSchema = z
  .strictObject({
    eventId: z.string().min(1).max(128).meta({
      description: "Identity of the event; sent back to resume after it.",
    }),
    entityId: EntityId.meta({ description: "The entity the event is about." }),
    channel: Channel,
    eventName: EventName,
    kind: formed(
      `${NAME}\\.${EVENT}`,
      "Entity and event together, such as `terminal.data.changed`; what receivers decide by.",
    ),
    occurredAt: Timestamp.meta({ description: "When the event was published." }),
    payload: z.unknown().meta({
      description: "What the contract of the entity declares for this event.",
    }),
  })
  .meta({ description: "An event of an entity as it travels." });
/** An event as it travels. */
export type EntityEventEnvelope = z.infer<typeof EntityEventEnvelopeSchema>;

/** The channel of one event of one entity. */
export function channelOf(entityId: string, eventName: string): Channel {
  return `${entityId}.${eventName}`;
}

/** The kind of one event of all entities of a name, such as `terminal.data.changed`. */
export function kindOf(entityName: string, eventName: string): string {
  return `${entityName.charAt(0).toLowerCase()}${entityName.slice(1)}.${eventName}`;
}
