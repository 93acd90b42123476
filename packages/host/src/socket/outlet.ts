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
