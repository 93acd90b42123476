import type { MessageFrame, Wire, WireMessage } from "../wire.ts";

/** A wire whose client takes frames only when a test says so. */
export class FakeWire implements Wire {
  /** What was handed to the network, as text. */
  readonly sent: string[] = [];
  readonly #untaken: { readonly text: string; readonly handleSent: () => void }[] = [];
  /** Is told of what the client reads. */
  handleRead: (text: string) => void = () => undefined;
  /** Whether the network takes everything at once. */
  isReading = true;
  isPaused = true;
  closed: { readonly code: number; readonly reason: string } | undefined;
  #handleMessage: (message: WireMessage) => void = () => undefined;
  #handleEnd: () => void = () => undefined;
  #handleClose: () => void = () => undefined;

  send(frame: MessageFrame, handleSent: () => void): void {
    const text = frame.toString();
    this.sent.push(text);
    this.#untaken.push({ text, handleSent });
    if (this.isReading) this.takeAll();
  }

  /** The client reads everything that was handed to the network, and what comes of that. */
  takeAll(): void {
    for (let next; (next = this.#untaken.shift());) {
      this.handleRead(next.text);
      next.handleSent();
    }
  }

  close(code: number, reason: string): void {
    this.closed ??= { code, reason };
  }

  onMessage(handle: (message: WireMessage) => void): void {
    this.#handleMessage = handle;
  }

  onEnd(handle: () => void): void {
    this.#handleEnd = handle;
  }

  onClose(handle: () => void): void {
    this.#handleClose = handle;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  /** The client says something. */
  say(message: object | string): void {
    const text = typeof message === "string" ? message : JSON.stringify(message);
    this.#handleMessage({ kind: "text", bytes: Buffer.from(text) });
  }

  /** The client says something that is no text. */
  sayOther(kind: "binary" | "tooLong"): void {
    this.#handleMessage({ kind });
  }

  /** The client says nothing more. */
  end(): void {
    this.#handleEnd();
  }

  /** The client is gone. */
  vanish(): void {
    this.#handleClose();
  }

  /** What was sent, as values. */
  get messages(): readonly Message[] {
    return this.sent.map((text) => JSON.parse(text) as Message);
  }
}

/** One message of the host. */
export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
  readonly params?: Readonly<Record<string, unknown>>;
}
