import {
  EntityEventsInput,
  type EntityEventsMessage,
  type EntryTypes,
  parse,
  SUBSCRIPTIONS,
  type TerminalId,
} from "@nacre/contracts";
import type { CallContext } from "../../operations/call-context.ts";
import { encodedMessage } from "../../operations/encoded-message.ts";
import { EntryEvents, type ResumableMessage } from "./entry-events.ts";
import { EventStream, type StreamEvent, streamHead } from "./event-stream.ts";
import { contextOf, type Exchange } from "./exchange.ts";
import type { Reply } from "./reply.ts";
import { inputReaderOf } from "./request-input.ts";
import { type ResumePoint, resumePointOf, soleRecordingOf } from "./resume-id.ts";
import type { RouterParts } from "./router-parts.ts";

const readInput = inputReaderOf("GET", SUBSCRIPTIONS.entityEvents.input);

/** Tells a client the events of channels until it leaves, from after the event it heard last where that is possible. */
export async function followEvents(
  exchange: Exchange,
  parts: RouterParts,
): Promise<Reply | undefined> {
  const input = await readInput(exchange);
  const { channel, after, types } = parse(EntityEventsInput, { ...input, ...channelsOf(input) });
  const last = exchange.request.headers["last-event-id"];
  const point = resumePointOf((typeof last === "string" && last) || (after ?? ""));
  const terminalId = soleRecordingOf(channel);
  const asked = {
    channel,
    ...(point.eventId === undefined ? {} : { after: point.eventId }),
    // Who fills holes has to see all entries.
    ...(types === undefined || terminalId !== undefined ? {} : { types }),
  };
  const context = contextOf(exchange);
  using _counted = parts.openStream(context.caller.id);
  using feed = await parts.operations.follow("entityEvents", asked, context);
  if (exchange.request.method === "HEAD") return streamHead();
  using stream = new EventStream(exchange, parts.streams);
  await stream.write({ event: "connected", data: { channels: channel } });
  const live = stream.until(feed);
  const messages =
    terminalId === undefined
      ? withIds(live)
      : entryEventsOf({ context, parts, terminalId, live, point, types });
  await stream.writeAll(eventsOf(messages));
  return undefined;
}

async function* eventsOf(messages: AsyncIterable<ResumableMessage>): AsyncGenerator<StreamEvent> {
  for await (const { message, id } of messages) {
    yield { event: message.type, id, data: encodedMessage(message) };
  }
}

/** Channels have no comma, so several may stand in one parameter. */
function channelsOf({ channel }: Record<string, unknown>): { channel?: unknown } {
  if (!Array.isArray(channel)) return {};
  return {
    channel: channel.flatMap((text: unknown) =>
      typeof text === "string" ? text.split(",") : [text],
    ),
  };
}

async function* withIds(
  live: AsyncIterable<EntityEventsMessage>,
): AsyncGenerator<ResumableMessage> {
  for await (const message of live) {
    yield { message, id: message.type === "event" ? message.event.eventId : undefined };
  }
}

interface Entries {
  readonly context: CallContext;
  readonly parts: RouterParts;
  readonly terminalId: TerminalId;
  readonly live: AsyncIterable<EntityEventsMessage>;
  readonly point: ResumePoint;
  readonly types: EntryTypes | undefined;
}

function entryEventsOf(entries: Entries): EntryEvents {
  const { context, parts, terminalId, live, point, types } = entries;
  return new EntryEvents({
    types,
    terminalId,
    live,
    after: point.sequence,
    beginsWithRecording: point.eventId === undefined && point.sequence !== undefined,
    find: (after) => parts.operations.call("findRecordingEntries", { terminalId, after }, context),
  });
}
