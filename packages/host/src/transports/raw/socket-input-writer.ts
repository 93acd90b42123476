import { setTimeout as wait } from "node:timers/promises";
import { NacreError } from "@nacre/contracts";
import type { AttachedTerminal } from "./attached-terminal.ts";

/** More input than this waits in the network instead of in the host. */
const MAX_WAITING_BYTES = 256 * 1024;

/** How often a program that does not read is offered its input again. */
const RETRY_MS = 50;

/** What typing needs of a socket. */
export interface PausableSocket {
  pause(): void;
  resume(): void;
}

type InputTarget = Pick<AttachedTerminal, "write">;

/**
 * Types what comes from one socket in its order, and reads no more from it while much of it waits. What a program does
 * not take for now is offered again: of a long paste, either everything arrives or the beginning.
 */
export class SocketInputWriter implements Disposable {
  readonly #socket: PausableSocket;
  /** When everything that came before for a terminal is typed. */
  readonly #tails = new WeakMap<InputTarget, Promise<void>>();
  #waitingBytes = 0;
  #isPaused = false;
  #isOver = false;

  constructor(socket: PausableSocket) {
    this.#socket = socket;
  }

  /** Resolves when the terminal has the bytes; rejects when it does not take them. */
  async write(terminal: InputTarget, bytes: Uint8Array): Promise<void> {
    this.#countWaiting(bytes.byteLength);
    try {
      const before = this.#tails.get(terminal);
      const typed = before
        ? before.then(() => this.#writeWithRetry(terminal, bytes))
        : this.#writeWithRetry(terminal, bytes);
      this.#tails.set(
        terminal,
        typed.catch(() => undefined),
      );
      await typed;
    } finally {
      this.#countWaiting(-bytes.byteLength);
    }
  }

  /** What still waits is given up. */
  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  async #writeWithRetry(terminal: InputTarget, bytes: Uint8Array): Promise<void> {
    for (;;) {
      try {
        return await terminal.write(bytes);
      } catch (error) {
        const isFull = error instanceof NacreError && error.code === "input_queue_full";
        if (!isFull || this.#isOver) throw error;
        await wait(RETRY_MS);
      }
    }
  }

  #countWaiting(byteCount: number): void {
    this.#waitingBytes += byteCount;
    const isFull = this.#waitingBytes > MAX_WAITING_BYTES;
    if (isFull === this.#isPaused) return;
    this.#isPaused = isFull;
    if (isFull) this.#socket.pause();
    else this.#socket.resume();
  }
}
