import {
  EntityEventsInput,
  type EntityEventsMessage,
  parse,
  SUBSCRIPTIONS,
  type TerminalFeedMessage,
} from "@nacre/contracts";
import { encodeEventMessage } from "../../operations/feed.ts";
import {
  EntryEvents,
  findSoleRecording,
  parseResumeId,
  type ResumableMessage,
} from "./entry-events.ts";
import { EventStream, type StreamEvent, streamHead } from "./event-stream.ts";
import { type Exchange, requireCallContext, type RouterDeps } from "./route.ts";
import { createInputReader } from "./read-body.ts";
import type { HttpReply } from "./reply.ts";

const readFeedInput = createInputReader("GET", SUBSCRIPTIONS.terminalFeed.input);

/** Until it leaves or the terminal ends; resumes after a sequence. */
export async function followTerminal(
  exchange: Exchange,
  deps: RouterDeps,
): Promise<HttpReply | undefined> {
  const input = await readFeedInput(exchange);
  const last = exchange.request.headers["last-event-id"];
  const after = typeof last === "string" && /^[0-9]{1,15}$/.test(last) ? Number(last) : undefined;
  const asked = after === undefined ? input : { ...input, after };
  const context = requireCallContext(exchange);
  using _counted = deps.openStream(context.caller.id);
  using feed = await deps.operations.follow("terminalFeed", asked, context);
  if (exchange.request.method === "HEAD") return streamHead();
  using stream = new EventStream(exchange, deps.streams);
  await stream.write({ event: "connected", data: { terminalId: input["id"] } });
  await stream.writeAll(encodeFeed(stream.until(feed)));
  return undefined;
}

async function* encodeFeed(
  messages: AsyncIterable<TerminalFeedMessage>,
): AsyncGenerator<StreamEvent> {
  for await (const message of messages) {
    yield { event: message.kind, id: sequenceOf(message), data: message };
  }
  yield { event: "end", data: {} };
}

const sequenceOf = (message: TerminalFeedMessage): string =>
  String(message.kind === "snapshot" ? message.screen.sequence : message.entry.sequence);

const readEventsInput = createInputReader("GET", SUBSCRIPTIONS.entityEvents.input);

/** Until it leaves; resumes after an event where possible. */
export async function followEvents(
  exchange: Exchange,
  deps: RouterDeps,
): Promise<HttpReply | undefined> {
  const input = await readEventsInput(exchange);
  const { channel, after, types } = parse(EntityEventsInput, { ...input, ...splitChannels(input) });
  const last = exchange.request.headers["last-event-id"];
  const point = parseResumeId((typeof last === "string" && last) || (after ?? ""));
  const terminalId = findSoleRecording(channel);
  // Who fills holes has to see all entries.
  const seen = terminalId === undefined ? types : undefined;
  const asked = { channel, after: point.eventId, types: seen };
  const context = requireCallContext(exchange);
  using _counted = deps.openStream(context.caller.id);
  using feed = await deps.operations.follow("entityEvents", asked, context);
  if (exchange.request.method === "HEAD") return streamHead();
  using stream = new EventStream(exchange, deps.streams);
  await stream.write({ event: "connected", data: { channels: channel } });
  const live = stream.until(feed);
  const messages =
    terminalId === undefined
      ? withIds(live)
      : new EntryEvents({
          types,
          terminalId,
          live,
          after: point.sequence,
          beginsWithRecording: point.eventId === undefined && point.sequence !== undefined,
          find: (from) =>
            deps.operations.call("findRecordingEntries", { terminalId, after: from }, context),
        });
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

/** Channels contain no comma, so one parameter may hold several. */
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
