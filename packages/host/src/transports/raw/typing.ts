import type { AttachedTerminal } from "./attached-terminal.ts";

/** More input than this waits in the network instead of in the host. */
const MAX_WAITING_BYTES = 256 * 1024;

/** What typing needs of a socket. */
export interface TypingSocket {
  pause(): void;
  resume(): void;
}

/** Types what comes from one socket in its order, and reads no more from it while much of it waits. */
export class Typing {
  readonly #socket: TypingSocket;
  #waitingBytes = 0;
  #isPaused = false;

  constructor(socket: TypingSocket) {
    this.#socket = socket;
  }

  /** Resolves when the terminal has the bytes; rejects when it does not take them. */
  async type(terminal: Pick<AttachedTerminal, "write">, bytes: Uint8Array): Promise<void> {
    this.#count(bytes.byteLength);
    try {
      await terminal.write(bytes);
    } finally {
      this.#count(-bytes.byteLength);
    }
  }

  #count(byteCount: number): void {
    this.#waitingBytes += byteCount;
    const isFull = this.#waitingBytes > MAX_WAITING_BYTES;
    if (isFull === this.#isPaused) return;
    this.#isPaused = isFull;
    if (isFull) this.#socket.pause();
    else this.#socket.resume();
  }
}
