import { setTimeout as wait } from "node:timers/promises";
import type { OpenTerminal, TerminalMessage } from "@nacre/client";
import type { NodeClient } from "@nacre/client/node";
import { NacreError } from "@nacre/contracts/error";
import { ownTerminal } from "../own-terminal.ts";

/** How often a daemon that is away is looked for: a person waits. */
const LOOK_MS = 250;

export interface TerminalStreamOptions {
  readonly id: string;
  readonly client: NodeClient;
  /** Finds the daemon anew, which may be another one at another place; throws `unavailable` while there is none. */
  connect(): Promise<NodeClient>;
  /** Ends it. */
  readonly signal: AbortSignal;
  handleConnection(isThere: boolean): void;
}

/** What one terminal shows, over as many connections and daemons as it takes. */
export class TerminalStream {
  readonly #options: TerminalStreamOptions;
  #client: NodeClient;
  #open: OpenTerminal | undefined;
  #cursor: number | undefined;
  #connection = new AbortController();

  constructor(options: TerminalStreamOptions) {
    this.#options = options;
    this.#client = options.client;
  }

  /** The client that works now. */
  get client(): NodeClient {
    return this.#client;
  }

  /** The entry up to which everything was told. */
  get cursor(): number | undefined {
    return this.#open?.cursor ?? this.#cursor;
  }

  /** The terminal to type into; nothing while there is no connection. */
  get open(): OpenTerminal | undefined {
    return this.#open?.isConnected === true ? this.#open : undefined;
  }

  /** Begins again with a snapshot. */
  restart(): void {
    this.#open = undefined;
    this.#cursor = undefined;
    this.#connection.abort("restart");
  }

  /** Every message to the end of the terminal. */
  async *messages(): AsyncGenerator<TerminalMessage, void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      this.#connection = new AbortController();
      try {
        yield* this.#once(this.#connection);
        if (!this.#connection.signal.aborted) return;
      } catch (error) {
        if (!isAway(error)) throw error;
        this.#connection.abort("lost");
      }
      if (this.#connection.signal.reason === "restart") continue;
      this.#options.handleConnection(false);
      await this.#reconnect();
    }
  }

  async *#once(connection: AbortController): AsyncGenerator<TerminalMessage, void> {
    const { id, signal } = this.#options;
    const open = this.#client.openTerminal(id, {
      cursor: this.#cursor,
      inside: ownTerminal(),
      signal: AbortSignal.any([signal, connection.signal]),
      handleConnection: (state) => {
        if (state === "lost") connection.abort("lost");
        else this.#options.handleConnection(true);
      },
    });
    this.#open = open;
    try {
      yield* open;
    } finally {
      if (this.#open === open) this.#cursor = open.cursor;
      this.#open = undefined;
    }
  }

  async #reconnect(): Promise<void> {
    const { signal } = this.#options;
    while (!signal.aborted) {
      await wait(LOOK_MS, undefined, { signal }).catch(() => undefined);
      try {
        const client = await this.#options.connect();
        if (this.#client !== this.#options.client) this.#client[Symbol.dispose]();
        this.#client = client;
        return;
      } catch (error) {
        if (!isAway(error)) throw error;
      }
    }
  }
}

/** Whether waiting can help: the daemon is away or busy, or a connection broke. */
function isAway(error: unknown): boolean {
  if (!(error instanceof NacreError)) {
    return error instanceof Error && error.name === "ConnectionLost";
  }
  return ["unavailable", "limit_reached", "timeout", "internal"].includes(error.code);
}
