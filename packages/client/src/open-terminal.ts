import { isErrorCode, NacreError, parse, Size, TerminalId } from "@nacre/contracts";
import {
  backoffMs,
  type Clock,
  ConnectionLost,
  type ConnectionState,
  following,
  type Following,
  type FollowOptions,
  isTemporary,
  waitFor,
} from "./follow.ts";
import { TerminalFrames, type TerminalMessage } from "./terminal-message.ts";

/** Beyond this a slow listener loses the connection, and continues from the recording. */
const MAX_QUEUED_BYTES = 4 * 1024 * 1024;

/** Ping interval; the second missing pong means that nobody is there. */
export const PING_MS = 15_000;
const MAX_MISSED_PINGS = 2;

/** The terminal ended and everything was sent. */
const ENDED = 1000;

/** Close codes after which retrying cannot help. */
const REFUSALS: ReadonlySet<number> = new Set([1008, 4000, 4001, 4003, 4004]);

/** The frames of one WebSocket, for one loop, bounded. Ends with the terminal; otherwise throws the reason. */
class SocketFrames implements AsyncIterable<Uint8Array | string>, Disposable {
  readonly #socket: WebSocket;
  readonly #opened = Promise.withResolvers<void>();
  readonly #stopPinging: () => void;
  #queue: (Uint8Array | string)[] = [];
  #queuedBytes = 0;
  #missedPings = 0;
  #wake: (() => void) | undefined;
  #end: { readonly error?: Error } | undefined;

  constructor(url: string, clock: Clock) {
    this.#socket = new WebSocket(url);
    this.#socket.binaryType = "arraybuffer";
    this.#socket.addEventListener("open", () => this.#opened.resolve());
    this.#socket.addEventListener("message", ({ data }) => this.#handleFrame(data));
    this.#socket.addEventListener("close", ({ code, reason }) => this.#finish(endOf(code, reason)));
    this.#stopPinging = this.#pingAfter(clock);
    // Only whoever waits for the connection is told.
    this.#opened.promise.catch(() => undefined);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === WebSocket.OPEN;
  }

  /** Rejects when it will never open. */
  get opened(): Promise<void> {
    return this.#opened.promise;
  }

  send(frame: Uint8Array<ArrayBuffer> | string): void {
    this.#socket.send(frame);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array | string, void> {
    for (;;) {
      const frame = this.#queue.shift();
      if (frame !== undefined) {
        this.#queuedBytes -= frame.length;
        yield frame;
      } else if (this.#end !== undefined) {
        if (this.#end.error) throw this.#end.error;
        return;
      } else {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    }
  }

  /** Received frames can still be read. */
  [Symbol.dispose](): void {
    this.#finish({ error: new ConnectionLost("the connection was given up") });
  }

  #handleFrame(data: unknown): void {
    this.#missedPings = 0;
    if (this.#end !== undefined) return;
    const frame = data instanceof ArrayBuffer ? new Uint8Array(data) : String(data);
    this.#queue.push(frame);
    this.#queuedBytes += frame.length;
    this.#wake?.();
    if (this.#queuedBytes > MAX_QUEUED_BYTES) this[Symbol.dispose]();
  }

  #finish(end: { readonly error?: Error }): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#stopPinging();
    this.#opened.reject(end.error ?? new ConnectionLost("the connection ended"));
    this.#wake?.();
    // Browsers log an error for a socket that is closed before it was open.
    if (this.#socket.readyState !== WebSocket.CONNECTING) this.#socket.close();
    else this.#socket.addEventListener("open", () => this.#socket.close());
  }

  #pingAfter(clock: Clock): () => void {
    let cancel = (): void => undefined;
    const beat = (): void => {
      if (this.#missedPings >= MAX_MISSED_PINGS) {
        this[Symbol.dispose]();
        return this.#socket.close();
      }
      this.#missedPings += 1;
      if (this.isOpen) this.#socket.send('{"type":"ping"}');
      cancel = clock.after(PING_MS, beat);
    };
    cancel = clock.after(PING_MS, beat);
    return () => cancel();
  }
}

function endOf(code: number, reason: string): { readonly error?: Error } {
  if (code === ENDED) return {};
  if (!REFUSALS.has(code)) return { error: new ConnectionLost(`the connection ended (${code})`) };
  const [word = "", ...rest] = reason.split(": ");
  const isKnown = isErrorCode(word);
  const message = isKnown ? rest.join(": ") : reason || `the host closed the socket (${code})`;
  return { error: new NacreError(isKnown ? word : "forbidden", message) };
}

export interface OpenOptions extends FollowOptions {
  /** Resumes after this sequence without a snapshot where possible; -1 starts at the present. */
  readonly cursor?: number | undefined;
  /** The terminal in which this program runs; `conflict` where it would show itself. */
  readonly inside?: string | undefined;
}

export interface SocketWire {
  readonly clock: Clock;
  /** Good for one connection. */
  address(path: string): Promise<URL>;
}

/** Input is sent in frames of this size, which every host accepts. */
const MAX_FRAME_BYTES = 64 * 1024;

/** The raw WebSocket of a terminal, re-established when lost: messages to show, and a way to type. */
export class OpenTerminal implements Following<TerminalMessage> {
  readonly id: TerminalId;
  readonly #wire: SocketWire;
  readonly #options: OpenOptions;
  readonly #messages: Following<TerminalMessage>;
  #cursor: number | undefined;
  #frames: SocketFrames | undefined;
  /** Requested while there was no connection. */
  #wantedSize: Size | undefined;

  constructor(wire: SocketWire, id: string, options: OpenOptions = {}) {
    this.id = parse(TerminalId, id, "id");
    this.#wire = wire;
    this.#options = options;
    this.#cursor = options.cursor;
    this.#messages = following((signal) => this.#follow(signal), options.signal);
  }

  get isConnected(): boolean {
    return this.#frames?.isOpen ?? false;
  }

  /** To open the terminal again after it. */
  get cursor(): number | undefined {
    return this.#cursor;
  }

  /** Throws `unavailable` while there is no connection: keys must not be typed later by surprise. */
  write(data: string | Uint8Array): void {
    const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data.slice();
    const frames = this.#frames;
    if (!frames?.isOpen) {
      throw new NacreError("unavailable", `there is no connection to ${this.id} now`);
    }
    for (let at = 0; at < bytes.length; at += MAX_FRAME_BYTES) {
      frames.send(bytes.subarray(at, at + MAX_FRAME_BYTES));
    }
  }

  /** At the latest once reconnected; a `size` message tells the actual one. */
  resize(size: Size): void {
    this.#wantedSize = parse(Size, size, "size");
    this.#sendSize();
  }

  next(): Promise<IteratorResult<TerminalMessage, undefined>> {
    return this.#messages.next();
  }

  async return(): Promise<IteratorResult<TerminalMessage, undefined>> {
    await this[Symbol.asyncDispose]();
    return { done: true, value: undefined };
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#messages[Symbol.asyncDispose]();
  }

  async *#follow(signal: AbortSignal): AsyncGenerator<TerminalMessage, void> {
    let wasConnected = false;
    for (let attempt = 0; !signal.aborted; attempt++) {
      try {
        for await (const message of this.#connection(signal)) {
          if (message === "connected") {
            wasConnected = true;
            continue;
          }
          // A host that accepts and then fails must not be asked again without a pause.
          attempt = 0;
          yield message;
          if (message.kind === "exit") return;
        }
        return;
      } catch (error) {
        if (signal.aborted) return;
        if (!isTemporary(error)) throw error;
        if (!wasConnected) throw this.#notConnected(error);
      }
      this.#tellConnection("lost");
      const { clock } = this.#wire;
      await waitFor(clock, backoffMs(attempt, clock.random()), signal);
    }
  }

  /** To its end. */
  async *#connection(signal: AbortSignal): AsyncGenerator<TerminalMessage | "connected", void> {
    const address = await this.#address();
    if (signal.aborted) return;
    using frames = new SocketFrames(address, this.#wire.clock);
    const abort = (): void => frames[Symbol.dispose]();
    signal.addEventListener("abort", abort);
    try {
      await frames.opened;
      this.#frames = frames;
      this.#tellConnection("connected");
      this.#sendSize();
      yield "connected";
      const reader = new TerminalFrames();
      for await (const frame of frames) {
        for (const message of reader.push(frame)) {
          if ("sequence" in message) this.#cursor = message.sequence;
          yield message;
        }
      }
    } finally {
      signal.removeEventListener("abort", abort);
      this.#frames = undefined;
    }
  }

  async #address(): Promise<string> {
    const url = await this.#wire.address(`/api/terminals/${this.id}/connect`);
    url.searchParams.set("control", "1");
    if (this.#cursor !== undefined) url.searchParams.set("cursor", String(this.#cursor));
    if (this.#options.inside) url.searchParams.set("inside", this.#options.inside);
    return url.href;
  }

  #sendSize(): void {
    if (this.#wantedSize === undefined || !this.#frames?.isOpen) return;
    this.#frames.send(JSON.stringify({ type: "resize", ...this.#wantedSize }));
    this.#wantedSize = undefined;
  }

  #tellConnection(state: ConnectionState): void {
    this.#options.handleConnection?.(state);
  }

  #notConnected(cause: unknown): Error {
    if (cause instanceof NacreError) return cause;
    return new NacreError("unavailable", `no connection to ${this.id} could be made`, { cause });
  }
}
