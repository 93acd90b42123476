import {
  type EntityEventsMessage,
  TerminalContract,
  TerminalRecordingEntrySchema,
  TerminalSchema,
} from "@nacre/contracts";
import type { Bus } from "../bus.ts";
import type { EventSubscription } from "../event-subscription.ts";

const WHEN = "2026-01-31T09:30:00.000Z";

export const outputEntry = (uid: string, sequence: number, data = "hi\r\n") =>
  TerminalRecordingEntrySchema.parse({
    id: `terminal_recording_entry:${uid}-${sequence}`,
    terminalId: `terminal:${uid}`,
    sequence,
    occurredAt: WHEN,
    elapsedMs: 0,
    type: "output",
    data,
    offset: 0,
  });

export const terminalData = (uid: string, entries = 0) =>
  TerminalSchema.parse({
    id: `terminal:${uid}`,
    owner: { entityName: "Task", entityId: "7" },
    workingDirectory: "/tmp",
    createdAt: WHEN,
    claim: { claim: { kind: "client", clientId: "ann" }, epoch: 1, since: WHEN },
    recordingEntries: Array.from({ length: entries }, (_, index) => outputEntry(uid, index + 1)),
    recording: { firstSequence: 1, lastSequence: entries + 2, total: entries + 2, state: "ok" },
    terminalPaneId: "pty",
    connected: true,
    state: "active",
    commandDetection: "exact",
    inputPolicy: "open",
    viewers: 0,
    dead: false,
    exitCode: null,
    screen: "",
  });

export const change = (bus: Bus, uid: string) =>
  bus.publish({
    contract: TerminalContract,
    entityId: `terminal:${uid}`,
    eventName: "data.changed",
    payload: terminalData(uid),
  });

export const append = (bus: Bus, uid: string, sequence: number, data?: string) =>
  bus.publish({
    contract: TerminalContract,
    entityId: `terminal:${uid}`,
    eventName: "recordingEntry.appended",
    payload: outputEntry(uid, sequence, data),
  });

/** The next messages in short: the channel and, for entries, the sequence. */
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

export function shortOf(message: EntityEventsMessage): string {
  if (message.type === "resync") return "resync";
  const { channel, payload } = message.event;
  const isEntry = typeof payload === "object" && payload !== null && "sequence" in payload;
  return isEntry ? `${channel} ${String(payload.sequence)}` : channel;
}
