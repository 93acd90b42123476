import { connect, type Socket } from "node:net";
import { discoverHost } from "@nacre/client/quick";

/** Well within the daemon's grace time for a client (10 s). */
const RETRY_MS = 1_000;

/**
 * Keeps a connection to the unix socket open, so that the daemon knows this client is there: once it has been closed
 * for the grace time, however this process ended, the client's claims are free. Follows the next daemon, and starts
 * none.
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
    // `close` follows.
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
