import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { errorBodyOf } from "@nacre/contracts";
import { toNacreError } from "../../base/to-nacre-error.ts";
import type { Exchange } from "./route.ts";
import { type HttpReply, SECURITY_HEADERS, textReply } from "./reply.ts";

/** A reader that takes nothing for so long is gone, or comes back. */
const STALL_MS = 30_000;

/** Resolves when an answer can be written on with, or its reader is gone; one that takes nothing for too long is let go. */
export async function waitForDrain(
  response: ServerResponse,
  signal: AbortSignal,
  stallMs = STALL_MS,
): Promise<void> {
  const stall = setTimeout(() => response.destroy(), stallMs);
  try {
    await once(response, "drain", { signal });
  } catch {
    // Its reader is gone, which the signal tells.
  } finally {
    clearTimeout(stall);
  }
}

/** A line between messages that keeps proxies and clients from giving up. */
const HEARTBEAT_MS = 15_000;

const HEARTBEAT = Buffer.from(":\n\n");

const STREAM_TYPE = "text/event-stream; charset=utf-8";

/** What a stream begins with, for who asks only for that. */
export const streamHead = (): HttpReply => textReply(STREAM_TYPE, "");

/** One event as it is written. */
export interface StreamEvent {
  readonly event: string;
  /** What a client sends back as `Last-Event-ID` to resume after this event. */
  readonly id?: string | undefined;
  /** A Buffer is JSON already. */
  readonly data: unknown;
}

/** How an event stream behaves; tests set times of their own. */
export interface StreamOptions {
  readonly heartbeatMs?: number | undefined;
  readonly stallMs?: number | undefined;
  /** Is told of bytes that were written. */
  handleBytes?(count: number): void;
  /** Is told of streams that begin, by 1, and end, by -1. */
  handleOpen?(change: 1 | -1): void;
}

/** An answer that goes on: events as browsers read them. A write waits for the reader, so that nothing piles up for one that does not read. */
export class EventStream implements Disposable {
  readonly #response: ServerResponse;
  readonly #options: StreamOptions;
  readonly #heartbeat: NodeJS.Timeout;
  /** Fires when the reader is gone. */
  readonly signal: AbortSignal;
  /** Whether the reader has no room; a heartbeat is for readers that have. */
  #isFull = false;

  constructor({ response, signal }: Pick<Exchange, "response" | "signal">, options: StreamOptions) {
    this.#response = response;
    this.#options = options;
    this.signal = signal;
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      "content-type": STREAM_TYPE,
      "x-accel-buffering": "no",
    });
    response.flushHeaders();
    options.handleOpen?.(1);
    this.#heartbeat = setInterval(() => {
      if (!this.#isFull && !signal.aborted) this.#write(HEARTBEAT);
    }, options.heartbeatMs ?? HEARTBEAT_MS);
  }

  /** Writes an event; resolves when the reader has room for the next, or is gone. */
  async write(event: StreamEvent): Promise<void> {
    if (this.signal.aborted) return;
    if (!this.#write(encodeEvent(event))) await this.#waitForDrain();
  }

  /** The messages of a feed until it ends or the reader is gone, whichever comes first. */
  async *until<Message>(
    feed: AsyncIterable<Message> & Disposable,
  ): AsyncGenerator<Message, undefined> {
    const stop = (): void => feed[Symbol.dispose]();
    this.signal.addEventListener("abort", stop);
    try {
      if (this.signal.aborted) stop();
      yield* feed;
    } finally {
      this.signal.removeEventListener("abort", stop);
    }
    return undefined;
  }

  /** Writes all events, one when there is room for it; a failure is told as the last one, and thrown. */
  async writeAll(events: AsyncIterable<StreamEvent>): Promise<void> {
    try {
      for await (const event of events) {
        if (this.signal.aborted) return;
        await this.write(event);
      }
    } catch (error) {
      await this.write({ event: "error", data: errorBodyOf(toNacreError(error)) });
      throw error;
    }
  }

  /** Ends the stream. */
  [Symbol.dispose](): void {
    clearInterval(this.#heartbeat);
    this.#options.handleOpen?.(-1);
    this.#response.end();
  }

  #write(bytes: Buffer): boolean {
    this.#options.handleBytes?.(bytes.length);
    return this.#response.write(bytes);
  }

  async #waitForDrain(): Promise<void> {
    this.#isFull = true;
    await waitForDrain(this.#response, this.signal, this.#options.stallMs);
    this.#isFull = false;
  }
}

/** JSON has no line feeds of its own, so the data is one line. */
function encodeEvent({ event, id, data }: StreamEvent): Buffer {
  const head = `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: `;
  const json = Buffer.isBuffer(data) ? data : Buffer.from(JSON.stringify(data));
  return Buffer.concat([Buffer.from(head), json, END]);
}

const END = Buffer.from("\n\n");
