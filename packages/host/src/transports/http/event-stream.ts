import { once } from "node:events";
import type { ServerResponse } from "node:http";
import { errorBodyOf } from "@nacre/contracts";
import { toNacreError } from "../../base/to-nacre-error.ts";
import type { Exchange } from "./route.ts";
import { type HttpReply, SECURITY_HEADERS, textReply } from "./reply.ts";

/** A reader that takes nothing for this long is disconnected. */
const STALL_MS = 30_000;

/** Resolves when writable, or the reader is gone; disconnects one that takes nothing for too long. */
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

/** A comment line keeps proxies and clients from timing out. */
const HEARTBEAT_MS = 15_000;

const HEARTBEAT = Buffer.from(":\n\n");

const STREAM_TYPE = "text/event-stream; charset=utf-8";

/** For HEAD. */
export const streamHead = (): HttpReply => textReply(STREAM_TYPE, "");

export interface StreamEvent {
  readonly event: string;
  /** Sent back as `Last-Event-ID` to resume. */
  readonly id?: string | undefined;
  /** A Buffer is JSON already. */
  readonly data: unknown;
}

export interface StreamOptions {
  readonly heartbeatMs?: number | undefined;
  readonly stallMs?: number | undefined;
  handleBytes?(count: number): void;
  /** +1 on open, -1 on close. */
  handleOpen?(change: 1 | -1): void;
}

/** Server-sent events with backpressure. */
export class EventStream implements Disposable {
  readonly #response: ServerResponse;
  readonly #options: StreamOptions;
  readonly #heartbeat: NodeJS.Timeout;
  /** Aborted when the reader is gone. */
  readonly signal: AbortSignal;
  /** Heartbeats are skipped while the reader has no room. */
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

  /** Resolves when the reader has room, or is gone. */
  async write(event: StreamEvent): Promise<void> {
    if (this.signal.aborted) return;
    if (!this.#write(encodeEvent(event))) await this.#waitForDrain();
  }

  /** Until the feed ends or the reader is gone. */
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

  /** With backpressure; a failure is sent as the last event, and thrown. */
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

/** JSON contains no line feeds, so the data is one line. */
function encodeEvent({ event, id, data }: StreamEvent): Buffer {
  const head = `event: ${event}\n${id === undefined ? "" : `id: ${id}\n`}data: `;
  const json = Buffer.isBuffer(data) ? data : Buffer.from(JSON.stringify(data));
  return Buffer.concat([Buffer.from(head), json, END]);
}

const END = Buffer.from("\n\n");
