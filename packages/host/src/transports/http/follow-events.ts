import {
  EntityEventsInput,
  type EntityEventsMessage,
  type EntryTypes,
  parse,
  SUBSCRIPTIONS,
  type TerminalId,
} from "@nacre/contracts";
import type { CallContext } from "../../operations/call-context.ts";
import { encodeEventMessage } from "../../operations/encoded-message.ts";
import { EntryEvents, type ResumableMessage } from "./entry-events.ts";
import { EventStream, type StreamEvent, streamHead } from "./event-stream.ts";
import { requireCallContext, type Exchange } from "./exchange.ts";
import type { HttpReply } from "./reply.ts";
import { createInputReader } from "./request-input.ts";
import { type ResumePoint, parseResumeId, findSoleRecording } from "./resume-id.ts";
import type { RouterDeps } from "./router-parts.ts";

const readEventsInput = createInputReader("GET", SUBSCRIPTIONS.entityEvents.input);

/** Tells a client the events of channels until it leaves, from after the event it heard last where that is possible. */
export async function followEvents(
  exchange: Exchange,
  parts: RouterDeps,
): Promise<HttpReply | undefined> {
  const input = await readEventsInput(exchange);
  const { channel, after, types } = parse(EntityEventsInput, { ...input, ...splitChannels(input) });
  const last = exchange.request.headers["last-event-id"];
  const point = parseResumeId((typeof last === "string" && last) || (after ?? ""));
  const terminalId = findSoleRecording(channel);
  const asked = {
    channel,
    ...(point.eventId === undefined ? {} : { after: point.eventId }),
    // Who fills holes has to see all entries.
    ...(types === undefined || terminalId !== undefined ? {} : { types }),
  };
  const context = requireCallContext(exchange);
  using _counted = parts.openStream(context.caller.id);
  using feed = await parts.operations.follow("entityEvents", asked, context);
  if (exchange.request.method === "HEAD") return streamHead();
  using stream = new EventStream(exchange, parts.streams);
  await stream.write({ event: "connected", data: { channels: channel } });
  const live = stream.until(feed);
  const messages =
    terminalId === undefined
      ? withIds(live)
      : createEntryEvents({ context, parts, terminalId, live, point, types });
  await stream.writeAll(encodeMessages(messages));
  return undefined;
}

async function* encodeMessages(
  messages: AsyncIterable<ResumableMessage>,
): AsyncGenerator<StreamEvent> {
  for await (const { message, id } of messages) {
    yield { event: message.type, id, data: encodeEventMessage(message) };
  }
}

/** Channels have no comma, so several may stand in one parameter. */
function splitChannels({ channel }: Record<string, unknown>): { channel?: unknown } {
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

interface EntryEventsRequest {
  readonly context: CallContext;
  readonly parts: RouterDeps;
  readonly terminalId: TerminalId;
  readonly live: AsyncIterable<EntityEventsMessage>;
  readonly point: ResumePoint;
  readonly types: EntryTypes | undefined;
}

function createEntryEvents(entries: EntryEventsRequest): EntryEvents {
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
