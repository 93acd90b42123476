import { z } from "zod";
import { Timestamp, UID_PATTERN, UID_WORDS } from "./ids.ts";
import { refuse, type Report } from "./json-object.ts";

const TABLE = "[a-z][a-z0-9_]{0,63}";
const NAME = "[A-Za-z][A-Za-z0-9]{0,63}";
/** An event name has few words; the bound keeps pattern matching cheap. */
const MAX_EVENT_WORDS = 8;
/** Longer than any channel; a longer text is not matched at all. */
const MAX_ADDRESS_LENGTH = 1024;
/** Must fit into an HTTP header. */
export const MAX_EVENT_ID_LENGTH = 128;
const EVENT = `${NAME}(?:\\.${NAME}){0,${MAX_EVENT_WORDS - 1}}`;

const formed = (pattern: string, words: string, description: string) =>
  z
    .string()
    .max(MAX_ADDRESS_LENGTH, { abort: true })
    .regex(new RegExp(`^${pattern}$`), `expected ${words}`)
    .meta({ description });

/** Names any entity: its table, and its identity there, which contains neither dot nor colon. */
export const EntityId = formed(
  `${TABLE}:${UID_PATTERN}`,
  `the name of a table, \`:\` and ${UID_WORDS}`,
  "Identity of an entity, `<table>:<uid>`.",
);
export type EntityId = z.infer<typeof EntityId>;

/** Names an event of an entity, such as `data.changed`. */
export const EventName = formed(
  EVENT,
  "words of letters and digits with dots between them, such as `data.changed`",
  "Name of an event in its entity, such as `data.changed`.",
);
export type EventName = z.infer<typeof EventName>;

/** One event of one entity, `<entityId>.<eventName>`. The host derives it; publishers never set it. */
export const Channel = formed(
  `${TABLE}:${UID_PATTERN}\\.${EVENT}`,
  "the identity of an entity, a dot and the name of an event, such as `terminal:a1.data.changed`",
  "Address of one event of one entity, `<entityId>.<eventName>`.",
);
export type Channel = z.infer<typeof Channel>;

/** Selects channels: `*` stands for one identity, for the rest of an event name, or alone for everything. */
export const ChannelPattern = formed(
  `(?:\\*|${TABLE}:(?:\\*|${UID_PATTERN})\\.(?:\\*|${EVENT}(?:\\.\\*)?))`,
  "a channel, where a star may stand for the identity or the rest of the event name, or a star alone",
  "Which channels: a channel, or with a star for the identity or the rest of the event name, such as `terminal:*.data.changed`, `terminal:*.*` or `*`.",
);
export type ChannelPattern = z.infer<typeof ChannelPattern>;

interface EnvelopeFields {
  readonly entityId: string;
  readonly channel: string;
  readonly eventName: string;
  readonly kind: string;
  readonly payload?: unknown;
}

function checkEnvelope(envelope: EnvelopeFields, report: Report): void {
  const { entityId, channel, eventName, kind, payload } = envelope;
  if (channel !== channelOf(entityId, eventName)) {
    refuse(report, "channel", "must be the entity and the event of this envelope");
  }
  if (kind.slice(kind.indexOf(".") + 1) !== eventName) {
    refuse(report, "kind", "must end with the event of this envelope");
  }
  if (payload === undefined) refuse(report, "payload", "is missing");
}

/** An event on a wire; channel and kind are derived from entity and event name. */
export const EntityEventEnvelopeSchema = z
  .strictObject({
    eventId: z.string().min(1).max(MAX_EVENT_ID_LENGTH).meta({
      description: "Identity of the event; sent back to resume after it.",
    }),
    entityId: EntityId.meta({ description: "The entity the event is about." }),
    channel: Channel,
    eventName: EventName,
    kind: formed(
      `${NAME}\\.${EVENT}`,
      "the name of an entity, a dot and the name of an event, such as `terminal.data.changed`",
      "Entity and event together, such as `terminal.data.changed`; what receivers decide by.",
    ),
    occurredAt: Timestamp.meta({ description: "When the event was published." }),
    payload: z.unknown().meta({
      description: "What the contract of the entity declares for this event.",
    }),
  })
  .superRefine(checkEnvelope)
  .meta({ description: "An event of an entity as it travels." });
export type EntityEventEnvelope = z.infer<typeof EntityEventEnvelopeSchema>;

export function channelOf(entityId: string, eventName: string): Channel {
  return `${entityId}.${eventName}`;
}

/** The kind of an event across all entities of a table, such as `terminal.data.changed`. */
export function kindOf(entityName: string, eventName: string): string {
  return `${entityName.charAt(0).toLowerCase()}${entityName.slice(1)}.${eventName}`;
}
