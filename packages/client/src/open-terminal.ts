import { NacreError, parse, Size, TerminalId } from "@nacre/contracts";
import type { ConnectionState, FollowOptions } from "./follow.ts";
import { following, type Following } from "./following.ts";
import { type Clock, backoffMs, isTemporary, waitFor } from "./reconnect.ts";
import { SocketFrames } from "./socket-frames.ts";
import { TerminalFrames, type TerminalMessage } from "./terminal-message.ts";

/** From where to show a Terminal, and how. */
export interface OpenOptions extends FollowOptions {
  /** Go on after this sequence without a snapshot where that is possible; -1 shows only what comes from now on. */
  readonly cursor?: number | undefined;
  /** The terminal in which this program runs and shows it; refused with `conflict` where that would show itself. */
  readonly inside?: string | undefined;
}

/** Over what terminals are opened. */
export interface SocketWire {
  readonly clock: Clock;
  /** The address of a WebSocket for this path, good for one connection. */
  address(path: string): Promise<URL>;
}

/** What is typed at once is sent in frames of this size, which every host takes. */
const MAX_FRAME_BYTES = 64 * 1024;

/** A Terminal on its raw wire, with lost connections made again: what it shows as one loop of messages, and the way to type. */
export class OpenTerminal implements Following<TerminalMessage> {
  readonly id: TerminalId;
  readonly #wire: SocketWire;
  readonly #options: OpenOptions;
  readonly #messages: Following<TerminalMessage>;
  #cursor: number | undefined;
  #frames: SocketFrames | undefined;
  /** A size that was asked for while there was no connection. */
  #wantedSize: Size | undefined;

  constructor(wire: SocketWire, id: string, options: OpenOptions = {}) {
    this.id = parse(TerminalId, id, "id");
    this.#wire = wire;
    this.#options = options;
    this.#cursor = options.cursor;
    this.#messages = following((signal) => this.#follow(signal), options.signal);
  }

  /** Whether what is typed now gets there. */
  get isConnected(): boolean {
    return this.#frames?.isOpen ?? false;
  }

  /** The sequence up to which everything was told; to open the terminal again after it. */
  get cursor(): number | undefined {
    return this.#cursor;
  }

  /** Types text or bytes; throws `unavailable` while there is no connection, as nobody wants keys typed later by surprise. */
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

  /** Asks for a size, at the latest when there is a connection again; a `size` message tells the real one. */
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
          // A host that only lets us in and fails then must not be asked again and again without a pause.
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

  /** One connection, to its end. */
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
