import { setTimeout as wait } from "node:timers/promises";
import { NacreError } from "@nacre/contracts";
import type { AttachedTerminal } from "./attached-terminal.ts";

/** More input than this waits in the network instead of in the host. */
const MAX_WAITING_BYTES = 256 * 1024;

/** How often a program that does not read is offered its input again. */
const RETRY_MS = 50;

/** What typing needs of a socket. */
export interface TypingSocket {
  pause(): void;
  resume(): void;
}

type Typed = Pick<AttachedTerminal, "write">;

/**
 * Types what comes from one socket in its order, and reads no more from it while much of it waits. What a program does
 * not take for now is offered again: of a long paste, either everything arrives or the beginning.
 */
export class Typing implements Disposable {
  readonly #socket: TypingSocket;
  /** When everything that came before for a terminal is typed. */
  readonly #typed = new WeakMap<Typed, Promise<void>>();
  #waitingBytes = 0;
  #isPaused = false;
  #isOver = false;

  constructor(socket: TypingSocket) {
    this.#socket = socket;
  }

  /** Resolves when the terminal has the bytes; rejects when it does not take them. */
  async type(terminal: Typed, bytes: Uint8Array): Promise<void> {
    this.#count(bytes.byteLength);
    try {
      const before = this.#typed.get(terminal);
      const typed = before
        ? before.then(() => this.#offer(terminal, bytes))
        : this.#offer(terminal, bytes);
      this.#typed.set(
        terminal,
        typed.catch(() => undefined),
      );
      await typed;
    } finally {
      this.#count(-bytes.byteLength);
    }
  }

  /** What still waits is given up. */
  [Symbol.dispose](): void {
    this.#isOver = true;
  }

  async #offer(terminal: Typed, bytes: Uint8Array): Promise<void> {
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

  #count(byteCount: number): void {
    this.#waitingBytes += byteCount;
    const isFull = this.#waitingBytes > MAX_WAITING_BYTES;
    if (isFull === this.#isPaused) return;
    this.#isPaused = isFull;
    if (isFull) this.#socket.pause();
    else this.#socket.resume();
  }
}
