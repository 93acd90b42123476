import { SUBSCRIPTIONS, type TerminalFeedMessage } from "@nacre/contracts";
import { contextOf, type Exchange } from "./exchange.ts";
import { EventStream, type StreamEvent, streamHead } from "./event-stream.ts";
import type { Reply } from "./reply.ts";
import type { RouterParts } from "./router-parts.ts";
import { inputReaderOf } from "./request-input.ts";

const readInput = inputReaderOf("GET", SUBSCRIPTIONS.terminalFeed.input);

/** Tells a client what happens in one terminal until it leaves or the terminal is over; it may go on after the sequence it had. */
export async function followTerminal(
  exchange: Exchange,
  parts: RouterParts,
): Promise<Reply | undefined> {
  const input = await readInput(exchange);
  const last = exchange.request.headers["last-event-id"];
  const after = typeof last === "string" && /^[0-9]{1,15}$/.test(last) ? Number(last) : undefined;
  const asked = after === undefined ? input : { ...input, after };
  const context = contextOf(exchange);
  using _counted = parts.openStream(context.caller.id);
  using feed = await parts.operations.follow("terminalFeed", asked, context);
  if (exchange.request.method === "HEAD") return streamHead();
  using stream = new EventStream(exchange, parts.streams);
  await stream.write({ event: "connected", data: { terminalId: input["id"] } });
  await stream.writeAll(eventsOf(stream.until(feed)));
  return undefined;
}

async function* eventsOf(
  messages: AsyncIterable<TerminalFeedMessage>,
): AsyncGenerator<StreamEvent> {
  for await (const message of messages) {
    yield { event: message.kind, id: placeOf(message), data: message };
  }
  yield { event: "end", data: {} };
}

const placeOf = (message: TerminalFeedMessage): string =>
  String(message.kind === "snapshot" ? message.screen.sequence : message.entry.sequence);
