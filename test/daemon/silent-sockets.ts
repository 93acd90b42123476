// Connections that say nothing, or not enough, and stay.
import type { Socket } from "node:net";
import type { DaemonProcess } from "../support/daemon-process.ts";
import { openConnection } from "./raw-connection.ts";

/** So many connections without a credential are kept; the rest must give way. */
const KEPT = 64;

/** Connections that never show a credential; those of one half send their headers letter by letter. */
export class SilentSockets implements Disposable {
  readonly #daemon: DaemonProcess;
  readonly #sockets = new Set<Socket>();
  #handleClose = (): void => undefined;

  constructor(daemon: DaemonProcess) {
    this.#daemon = daemon;
  }

  /** Opens so many; resolves when the host has closed all of them but those that it keeps. */
  async open(count: number): Promise<void> {
    const few = new Promise<void>((resolve) => {
      this.#handleClose = () => {
        if (opened === count && this.#sockets.size <= KEPT) resolve();
      };
    });
    let opened = 0;
    for (; opened < count; opened++) this.#add(await openConnection(this.#daemon), opened);
    this.#handleClose();
    await few;
  }

  /** Sends one more letter of each request that is under way. */
  drip(): void {
    for (const socket of this.#sockets) if (isSpeaking.has(socket)) socket.write("a");
  }

  [Symbol.dispose](): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #add(socket: Socket, number: number): void {
    this.#sockets.add(socket);
    if (number % 2 === 0) {
      isSpeaking.add(socket);
      socket.write("GET /api/terminals HTTP/1.1\r\nHost: ");
    }
    // Reading is how a closed connection is noticed.
    socket.resume();
    socket.on("close", () => {
      this.#sockets.delete(socket);
      this.#handleClose();
    });
    if (socket.destroyed) this.#sockets.delete(socket);
  }
}

const isSpeaking = new WeakSet<Socket>();
