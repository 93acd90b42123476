import { z } from "zod";
import { Timestamp, UID_PATTERN, UID_WORDS } from "./ids.ts";
import { refuse, type Report } from "./json-object.ts";

const TABLE = "[a-z][a-z0-9_]{0,63}";
const NAME = "[A-Za-z][A-Za-z0-9]{0,63}";
/** An event has a few words; a bound keeps patterns cheap to compare. */
const MAX_EVENT_WORDS = 8;
/** More than the longest channel has; a longer text is not compared with any pattern. */
const MAX_ADDRESS_LENGTH = 1024;
/** Long enough for any identity, short enough for a header. */
export const MAX_EVENT_ID_LENGTH = 128;
const EVENT = `${NAME}(?:\\.${NAME}){0,${MAX_EVENT_WORDS - 1}}`;

const formed = (pattern: string, words: string, description: string) =>
  z
    .string()
    .max(MAX_ADDRESS_LENGTH, { abort: true })
    .regex(new RegExp(`^${pattern}$`), `expected ${words}`)
    .meta({ description });

/** Names any entity: its table and its identity there, which has neither dot nor colon. */
export const EntityId = formed(
  `${TABLE}:${UID_PATTERN}`,
  `the name of a table, \`:\` and ${UID_WORDS}`,
  "Identity of an entity, `<table>:<uid>`.",
);
export type EntityId = z.infer<typeof EntityId>;

/** Names an event inside its entity, such as `data.changed`. */
export const EventName = formed(
  EVENT,
  "words of letters and digits with dots between them, such as `data.changed`",
  "Name of an event in its entity, such as `data.changed`.",
);
export type EventName = z.infer<typeof EventName>;

/** Addresses one event of one entity, `<entityId>.<eventName>`; derived by the Host, never given by a publisher. */
export const Channel = formed(
  `${TABLE}:${UID_PATTERN}\\.${EVENT}`,
  "the identity of an entity, a dot and the name of an event, such as `terminal:a1.data.changed`",
  "Address of one event of one entity, `<entityId>.<eventName>`.",
);
export type Channel = z.infer<typeof Channel>;

/** Selects channels; a star stands for one whole identity or for the rest of the event name, and alone for everything. */
export const ChannelPattern = formed(
  `(?:\\*|${TABLE}:(?:\\*|${UID_PATTERN})\\.(?:\\*|${EVENT}(?:\\.\\*)?))`,
  "a channel, where a star may stand for the identity or the rest of the event name, or a star alone",
  "Which channels: a channel, or with a star for the identity or the rest of the event name, such as `terminal:*.data.changed`, `terminal:*.*` or `*`.",
);
export type ChannelPattern = z.infer<typeof ChannelPattern>;

/** The parts of an envelope that must agree. */
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
  if (payload === undefined) refuse(report, "payload", "is needed");
}

/** An event as it travels; its channel and kind follow from its entity and its event. */
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
