import type { EntityEventEnvelope, EntityEventsMessage } from "@nacre/contracts";

/** Events as JSON, for as long as somebody still has them to tell. */
const encoded = new WeakMap<EntityEventEnvelope, Buffer>();

/** A message of an event feed as JSON; all listeners of one event, on every wire, share the same bytes. */
export function encodeEventMessage(message: EntityEventsMessage): Buffer {
  const event = message.type === "event" ? message.event : undefined;
  const known = event && encoded.get(event);
  if (known) return known;
  const bytes = Buffer.from(JSON.stringify(message));
  if (event) encoded.set(event, bytes);
  return bytes;
}
