import { type EntityEventsMessage, TerminalContract } from "@nacre/contracts";
import type { Bus } from "../bus.ts";
import type { EventSubscription } from "../event-subscription.ts";
import { outputEntry, terminalData } from "./payloads.ts";

/** Publishes that a terminal changed. */
export const change = (bus: Bus, uid: string) =>
  bus.publish({
    contract: TerminalContract,
    entityId: `terminal:${uid}`,
    eventName: "data.changed",
    payload: terminalData(uid),
  });

/** Publishes that an entry was appended. */
export const append = (bus: Bus, uid: string, sequence: number, data?: string) =>
  bus.publish({
    contract: TerminalContract,
    entityId: `terminal:${uid}`,
    eventName: "recordingEntry.appended",
    payload: outputEntry(uid, sequence, data),
  });

/** So many messages in short: the channel and, of entries, the sequence. */
export async function hear(
  subscription: EventSubscription,
  count: number,
): Promise<readonly string[]> {
  const heard: string[] = [];
  const messages = subscription[Symbol.asyncIterator]();
  while (heard.length < count) {
    const { value } = await messages.next();
    heard.push(value === undefined ? "end" : shortOf(value));
  }
  return heard;
}

/** The channel of a message and, of an entry, its sequence. */
export function shortOf(message: EntityEventsMessage): string {
  if (message.type === "resync") return "resync";
  const { channel, payload } = message.event;
  const isEntry = typeof payload === "object" && payload !== null && "sequence" in payload;
  return isEntry ? `${channel} ${String(payload.sequence)}` : channel;
}
