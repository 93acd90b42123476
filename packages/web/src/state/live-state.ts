import { connect, type NacreClient } from "@nacre/client";
import { type After, PAGE_ROWS, readAll } from "@nacre/client/ui";
import {
  type Claim,
  type EntityEventsMessage,
  HOST_ID,
  NacreError,
  type StorageInfo,
  type TerminalId,
  type TerminalSummary,
} from "@nacre/contracts";
import { signal } from "@preact/signals";
import { forgetToken } from "./credential.ts";
import { VisibilityWatch, whenVisible } from "./visibility.ts";

export type Connection = "connecting" | "connected" | "lost";

/** Terminals leave the list without an event. */
const REREAD_MS = 15_000;

/** Delay while the host never answered. */
const RETRY_MS = 1000;

/** The list is not read more often than people can follow. */
const MIN_PAUSE_MS = 150;

const STORAGE_CHANNEL = `${HOST_ID}.storage.changed`;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** What the host tells this page. */
export class LiveState implements Disposable {
  readonly client: NacreClient;
  /** Oldest first; undefined until known. */
  readonly terminals = signal<readonly TerminalSummary[] | undefined>(undefined);
  readonly connection = signal<Connection>("connecting");
  /** A read-only token: nothing is offered that the host would refuse. */
  readonly isReader = signal(false);
  /** Undefined until known. */
  readonly storage = signal<StorageInfo | undefined>(undefined);
  readonly #label: string;
  readonly #ending = new AbortController();
  readonly #timer: ReturnType<typeof setInterval>;
  #isReading = false;
  #isAsked = false;

  constructor(token: string, label: string) {
    this.#label = label;
    this.client = connect({ url: location.origin, token, clientLabel: label });
    this.#timer = setInterval(() => {
      if (!document.hidden) void this.reread();
    }, REREAD_MS);
    void this.#follow();
  }

  /** Whether this tab drives what has this claim. */
  readonly isMine = (claim: Claim): boolean =>
    claim.kind === "client" && claim.clientId.endsWith(`#${this.#label}`);

  find(id: TerminalId): TerminalSummary | undefined {
    return this.terminals.value?.find((one) => one.id === id);
  }

  /** Throttled: requests during a read share the next one. */
  async reread(): Promise<void> {
    this.#isAsked = true;
    if (this.#isReading) return;
    this.#isReading = true;
    while (this.#isAsked && !this.#ending.signal.aborted) {
      this.#isAsked = false;
      const startedAt = performance.now();
      try {
        this.terminals.value = await this.#readAll();
      } catch (error) {
        this.#handleFailure(error);
      }
      // A long list takes its time; most of the time is for people.
      await pause(Math.max(MIN_PAUSE_MS, 3 * (performance.now() - startedAt)));
    }
    this.#isReading = false;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#ending.abort();
  }

  async #follow(): Promise<void> {
    const { signal: ending } = this.#ending;
    while (!ending.aborted) {
      await whenVisible();
      using hidden = new VisibilityWatch();
      try {
        const events = this.client.events({
          // Output is not subscribed to: the list does not show it.
          channels: ["terminal_summary:*.data.changed", STORAGE_CHANNEL],
          signal: AbortSignal.any([ending, hidden.signal]),
          handleConnection: (state) => this.#handleConnection(state),
        });
        for await (const message of events) this.#handleEvent(message);
      } catch (error) {
        this.#handleFailure(error);
      }
      if (!hidden.signal.aborted) await pause(RETRY_MS);
    }
  }

  #handleConnection(state: "connected" | "lost"): void {
    this.connection.value = state;
    // Events before the connection were missed.
    if (state !== "connected") return;
    void this.reread();
    void this.#readHost();
  }

  #handleEvent(message: EntityEventsMessage): void {
    if (message.type === "resync") void this.#readHost();
    else if (message.event.channel === STORAGE_CHANNEL) {
      this.storage.value = message.event.payload as StorageInfo;
    }
    // The list tells the result, whatever the event.
    void this.reread();
  }

  async #readHost(): Promise<void> {
    try {
      const { scope, storage } = await this.client.readHost({});
      this.isReader.value = scope === "readOnly";
      this.storage.value = storage;
    } catch (error) {
      this.#handleFailure(error);
    }
  }

  #readAll(): Promise<readonly TerminalSummary[]> {
    return readAll(
      (after: After<TerminalId>) => this.client.listTerminals({ limit: PAGE_ROWS, ...after }),
      ({ terminals }) => terminals,
    );
  }

  #handleFailure(error: unknown): void {
    if (error instanceof NacreError && error.code === "unauthenticated") {
      this[Symbol.dispose]();
      forgetToken("The token is not good any more.");
      return;
    }
    if (!this.#ending.signal.aborted) this.connection.value = "lost";
  }
}
