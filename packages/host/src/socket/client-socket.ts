/** In flight through a socket that shows one terminal. */
export const CREDIT_BYTES = 512 * 1024;

/** Messages that are ready together share a frame up to this size. */
export const MAX_FRAME_BYTES = 128 * 1024;

/** Bytes are sent as a binary frame, text as a text frame. */
export type SocketMessage = Uint8Array | string;

/** Text is mostly ASCII, and an estimate suffices for what is short. */
export const messageSize = (frame: SocketMessage): number =>
  typeof frame === "string" ? frame.length : frame.byteLength;

/** Called when the network took a frame, or with an error when it never will; earlier frames may still be in flight. */
export type SentCallback = (error?: Error | null) => void;

export interface MessageSink {
  send(frame: SocketMessage, options: { readonly binary: boolean }, handleSent: SentCallback): void;
}

/** Bounds the bytes in flight, and gives each sender a turn. */
export class SendQueue {
  readonly #socket: MessageSink;
  readonly #maxBytes: number;
  readonly #handleProgress: () => void;
  readonly #waiting: (() => void)[] = [];
  #bytes = 0;

  constructor(
    socket: MessageSink,
    {
      maxBytes,
      handleProgress,
    }: { readonly maxBytes: number; readonly handleProgress: () => void },
  ) {
    this.#socket = socket;
    this.#maxBytes = maxBytes;
    this.#handleProgress = handleProgress;
  }

  /** For one frame; synchronous where nobody waits. */
  requestTurn(send: () => void): void {
    if (this.#waiting.length === 0 && this.#hasRoom) send();
    else this.#waiting.push(send);
  }

  send(frame: SocketMessage, handleSent?: SentCallback): void {
    const size = messageSize(frame);
    this.#bytes += size;
    this.#socket.send(frame, { binary: typeof frame !== "string" }, (error) => {
      this.#bytes -= size;
      this.#handleProgress();
      handleSent?.(error);
      while (this.#hasRoom) {
        const next = this.#waiting.shift();
        if (!next) return;
        next();
      }
    });
  }

  /** One frame may exceed the bound, which keeps everybody moving. */
  get #hasRoom(): boolean {
    return this.#bytes < this.#maxBytes;
  }
}

/** Per second; more are an attack. */
const MAX_PINGS = 50;

const PING_WINDOW_MS = 1000;

const MAX_MISSED_BEATS = 2;

/** Time to read the close frame after a protocol violation. */
const BREAK_MS = 1000;

/** Beyond this multiple of the credit, answers to a client that does not read are dropped. */
const ANSWER_TIMES = 2;

/** Of a client whose input waits for programs that do not read: more than this waits in the network. Keys to other terminals, sizes and pings pass until then. */
const MAX_HELD_BYTES = 256 * 1024;

/** Limit of a close frame. */
const MAX_REASON_LENGTH = 123;

/** Why a socket is closed, in the numbers of RFC 6455 and our own. */
export const CLOSE_CODES = {
  ended: 1000,
  stopping: 1001,
  policy: 1008,
  internal: 1011,
  tryAgain: 1013,
  invalid: 4000,
  forbidden: 4003,
  notFound: 4004,
} as const;

export interface SocketLike extends MessageSink {
  readonly readyState: number;
  readonly OPEN: number;
  readonly bufferedAmount: number;
  on(event: "close" | "error", handle: () => void): unknown;
  on(event: "ping" | "pong", handle: (data: Buffer) => void): unknown;
  on(event: "message", handle: (data: Buffer, isBinary: boolean) => void): unknown;
  ping(): void;
  pong(data: Buffer): void;
  close(code: number, reason: string): void;
  terminate(): void;
  readonly isPaused: boolean;
  pause(): void;
  resume(): void;
}

/** A WebSocket with bounded memory and liveness checks. */
export class ClientSocket {
  readonly sendQueue: SendQueue;
  /** Aborted when the connection is gone. */
  readonly signal: AbortSignal;
  readonly #socket: SocketLike;
  readonly #maxAnswerBytes: number;
  #missedBeats = 0;
  #pings = 0;
  #windowMs = 0;
  #heldBytes = 0;

  constructor(socket: SocketLike, maxBytes: number) {
    this.#socket = socket;
    this.#maxAnswerBytes = ANSWER_TIMES * maxBytes;
    this.sendQueue = new SendQueue(socket, { maxBytes, handleProgress: () => this.#noteAlive() });
    const closed = new AbortController();
    this.signal = closed.signal;
    socket.on("close", () => closed.abort());
    socket.on("pong", () => this.#noteAlive());
    socket.on("ping", (data: Buffer) => this.#handlePing(data));
    // The library sends the right close code; a client that stays is cut off.
    socket.on("error", () => {
      setTimeout(() => socket.terminate(), BREAK_MS).unref();
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** `isText`: valid UTF-8. */
  onMessage(handle: (bytes: Buffer, isText: boolean) => void): void {
    this.#socket.on("message", (data: Buffer, isBinary: boolean) => {
      this.#noteAlive();
      if (this.isOpen) handle(data, !isBinary);
    });
  }

  get closed(): Promise<void> {
    return new Promise((resolve) => {
      this.onClose(resolve);
    });
  }

  /** Called at once when already closed; dispose of the result to unsubscribe. */
  onClose(handle: () => void): Disposable {
    if (this.signal.aborted) handle();
    this.signal.addEventListener("abort", handle);
    return { [Symbol.dispose]: () => this.signal.removeEventListener("abort", handle) };
  }

  /** Out of turn; dropped when the client does not read. */
  answer(text: string): void {
    if (this.#socket.bufferedAmount <= this.#maxAnswerBytes) this.sendQueue.send(text);
  }

  /** `handleSent`: the network took it, or never will. */
  sendText(text: string | Uint8Array, handleSent: () => void): void {
    this.#socket.send(text, { binary: false }, () => {
      this.#noteAlive();
      handleSent();
    });
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason.replace(/[^ -~]/g, "?").slice(0, MAX_REASON_LENGTH));
  }

  /** For a socket that was not resumed yet. */
  refuse(code: number, reason: string): void {
    this.close(code, reason);
    this.resume();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Keeps what it sent until that is disposed of. Of one that has sent too much nothing more is read: it waits in the network. */
  hold(byteCount: number): Disposable {
    this.#countHeld(byteCount);
    return { [Symbol.dispose]: () => this.#countHeld(-byteCount) };
  }

  #countHeld(byteCount: number): void {
    const wasFull = this.#heldBytes > MAX_HELD_BYTES;
    this.#heldBytes += byteCount;
    const isFull = this.#heldBytes > MAX_HELD_BYTES;
    if (isFull && !wasFull) this.pause();
    else if (wasFull && !isFull) this.resume();
  }

  /** Asks for a sign of life, and ends the connection when there was none for too long. */
  checkAlive(): void {
    if (this.#missedBeats >= MAX_MISSED_BEATS) {
      this.#socket.terminate();
      return;
    }
    // A paused socket cannot answer; a dead connection shows when the ping is not delivered.
    if (!this.#socket.isPaused) this.#missedBeats++;
    if (this.isOpen) this.#socket.ping();
  }

  #noteAlive(): void {
    this.#missedBeats = 0;
  }

  #handlePing(data: Buffer): void {
    // A client told to stop may have sent a million more messages, which must cost nothing.
    if (!this.isOpen) return;
    this.#noteAlive();
    const nowMs = performance.now();
    if (nowMs - this.#windowMs > PING_WINDOW_MS) {
      this.#windowMs = nowMs;
      this.#pings = 0;
    }
    this.#pings++;
    if (this.#pings > MAX_PINGS) {
      this.close(CLOSE_CODES.policy, "too many pings");
      setTimeout(() => this.#socket.terminate(), BREAK_MS).unref();
    } else if (this.isOpen && this.#socket.bufferedAmount <= this.#maxAnswerBytes) {
      this.#socket.pong(data);
    }
  }
}
