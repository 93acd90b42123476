/** What may be under way through a socket that shows one terminal. */
export const CREDIT_BYTES = 512 * 1024;

/** What is ready together goes out as one frame up to this size. */
export const MAX_FRAME_BYTES = 128 * 1024;

/** One message of a socket: bytes go out as a binary frame, text as a text frame. */
export type SocketMessage = Uint8Array | string;

/** What a frame costs while it waits; text is mostly ASCII, and a guess is enough for what is short. */
export const messageSize = (frame: SocketMessage): number =>
  typeof frame === "string" ? frame.length : frame.byteLength;

/** Called when the network has taken a frame, or with an error when it never will; frames before that one may still be on their way. */
export type SentCallback = (error?: Error | null) => void;

/** What an Outlet needs of a socket. */
export interface MessageSink {
  send(frame: SocketMessage, options: { readonly binary: boolean }, handleSent: SentCallback): void;
}

/** The way out through one socket: a bounded number of bytes at a time, and everybody who sends gets a turn. */
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

  /** Calls back when it is this sender's turn to send one frame; at once where nobody waits. */
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

  /** A sender may exceed the bound by one frame, which keeps everybody moving. */
  get #hasRoom(): boolean {
    return this.#bytes < this.#maxBytes;
  }
}

/** Pings of a client in one second; more of them are no sign of life but an attack. */
const MAX_PINGS = 50;

const PING_WINDOW_MS = 1000;

/** So many heartbeats without a sign of life, and the client is gone. */
const MAX_MISSED_BEATS = 2;

/** Who breaks the protocol is told, and gets this long to take note. */
const BREAK_MS = 1000;

/** Answers to a client that does not read them are left out beyond so many times of what may be on its way anyway. */
const ANSWER_TIMES = 2;

/** The reason of a close frame holds this many bytes. */
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

/** What is needed of a WebSocket. */
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

/** A socket with bounded memory that notices when nobody is at the other end. */
export class ClientSocket {
  readonly sendQueue: SendQueue;
  /** Fires when the connection is gone. */
  readonly signal: AbortSignal;
  readonly #socket: SocketLike;
  readonly #maxAnswerBytes: number;
  #missedBeats = 0;
  #pings = 0;
  #windowMs = 0;
  #holds = 0;

  constructor(socket: SocketLike, maxBytes: number) {
    this.#socket = socket;
    this.#maxAnswerBytes = ANSWER_TIMES * maxBytes;
    this.sendQueue = new SendQueue(socket, { maxBytes, handleProgress: () => this.#noteAlive() });
    const closed = new AbortController();
    this.signal = closed.signal;
    socket.on("close", () => closed.abort());
    socket.on("pong", () => this.#noteAlive());
    socket.on("ping", (data: Buffer) => this.#handlePing(data));
    // The library answers what breaks the protocol with the right code; who does not leave then is left.
    socket.on("error", () => {
      setTimeout(() => socket.terminate(), BREAK_MS).unref();
    });
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  /** How many bytes wait in this process. */
  get bufferedBytes(): number {
    return this.#socket.bufferedAmount;
  }

  /** Takes messages: bytes, and whether they came as text, which is valid UTF-8 then. */
  onMessage(handle: (bytes: Buffer, isText: boolean) => void): void {
    this.#socket.on("message", (data: Buffer, isBinary: boolean) => {
      this.#noteAlive();
      if (this.isOpen) handle(data, !isBinary);
    });
  }

  /** Resolves when the connection is gone. */
  get closed(): Promise<void> {
    return new Promise((resolve) => {
      this.onClose(resolve);
    });
  }

  /** Calls back when the connection is gone, at once where it is; disposing the answer forgets that. */
  onClose(handle: () => void): Disposable {
    if (this.signal.aborted) handle();
    this.signal.addEventListener("abort", handle);
    return { [Symbol.dispose]: () => this.signal.removeEventListener("abort", handle) };
  }

  /** Answers the client out of turn; not one that does not read. */
  answer(text: string): void {
    if (this.#socket.bufferedAmount <= this.#maxAnswerBytes) this.sendQueue.send(text);
  }

  /** Sends text, or its bytes, as one text frame; `handleSent` is called when the network has taken it, or never will. */
  sendText(text: string | Uint8Array, handleSent: () => void): void {
    this.#socket.send(text, { binary: false }, () => {
      this.#noteAlive();
      handleSent();
    });
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason.replace(/[^ -~]/g, "?").slice(0, MAX_REASON_LENGTH));
  }

  /** Closes a socket that was not resumed yet. */
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

  /** Reads no more until everybody who holds it has disposed of this: what the client sends waits in the network. */
  hold(): Disposable {
    if (++this.#holds === 1) this.pause();
    return {
      [Symbol.dispose]: () => {
        if (--this.#holds === 0) this.resume();
      },
    };
  }

  /** Asks for a sign of life, and ends the connection when there was none for too long. */
  checkAlive(): void {
    if (this.#missedBeats >= MAX_MISSED_BEATS) {
      this.#socket.terminate();
      return;
    }
    // Who is not read from cannot be heard; a connection that is gone shows when the question does not arrive.
    if (!this.#socket.isPaused) this.#missedBeats++;
    if (this.isOpen) this.#socket.ping();
  }

  #noteAlive(): void {
    this.#missedBeats = 0;
  }

  #handlePing(data: Buffer): void {
    // Whoever was told to stop may have sent a million more, which must not cost anything.
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
