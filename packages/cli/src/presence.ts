import { connect, type Socket } from "node:net";
import { discoverHost } from "@nacre/client/quick";

/** How long after a lost connection another is tried: well within the grace time that the daemon gives a client (10 s). */
const RETRY_MS = 1_000;

/**
 * Tells the daemon that a client is there, by a connection to its unix socket that is kept open: once it has ended for
 * the grace time, however this process ended, what the client claimed is free. Goes on with the next daemon, and starts none.
 */
export class Presence implements Disposable {
  readonly #clientLabel: string;
  #socket: Socket | undefined;
  #retry: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(clientLabel: string) {
    this.#clientLabel = clientLabel;
  }

  /** Resolves once the daemon knows, or cannot be told now; then it is told later. */
  async begin(): Promise<void> {
    try {
      const { socketPath } = await discoverHost();
      if (!this.#isOver) await this.#connect(socketPath);
    } catch {
      // No daemon runs: the next one is told.
      this.#beginLater();
    }
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#retry);
    this.#socket?.destroy();
  }

  async #connect(socketPath: string): Promise<void> {
    const { promise: known, resolve } = Promise.withResolvers<void>();
    const socket = connect(socketPath).unref();
    this.#socket = socket;
    socket.on("data", () => resolve());
    // Whatever was wrong, the end of the connection follows.
    socket.on("error", () => undefined);
    socket.on("close", () => {
      resolve();
      this.#beginLater();
    });
    const hello = { type: "request", id: 1, method: "ping", clientId: this.#clientLabel };
    socket.write(`${JSON.stringify(hello)}\n`);
    await known;
  }

  #beginLater(): void {
    if (this.#isOver) return;
    clearTimeout(this.#retry);
    this.#retry = setTimeout(() => void this.begin(), RETRY_MS).unref();
  }
}
