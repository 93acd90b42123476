import { SUBSCRIPTIONS, type TerminalFeedMessage } from "@nacre/contracts";
import { requireCallContext, type Exchange } from "./exchange.ts";
import { EventStream, type StreamEvent, streamHead } from "./event-stream.ts";
import type { HttpReply } from "./reply.ts";
import type { RouterDeps } from "./router-parts.ts";
import { createInputReader } from "./request-input.ts";

const readFeedInput = createInputReader("GET", SUBSCRIPTIONS.terminalFeed.input);

/** Tells a client what happens in one terminal until it leaves or the terminal is over; it may go on after the sequence it had. */
export async function followTerminal(
  exchange: Exchange,
  parts: RouterDeps,
): Promise<HttpReply | undefined> {
  const input = await readFeedInput(exchange);
  const last = exchange.request.headers["last-event-id"];
  const after = typeof last === "string" && /^[0-9]{1,15}$/.test(last) ? Number(last) : undefined;
  const asked = after === undefined ? input : { ...input, after };
  const context = requireCallContext(exchange);
  using _counted = parts.openStream(context.caller.id);
  using feed = await parts.operations.follow("terminalFeed", asked, context);
  if (exchange.request.method === "HEAD") return streamHead();
  using stream = new EventStream(exchange, parts.streams);
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
