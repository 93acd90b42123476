import type { PublishedDiscovery } from "./discovery.ts";
import type { Log } from "./log.ts";

/** What a Daemon is made of. */
export interface RunningParts {
  readonly discovery: PublishedDiscovery;
  readonly log: Log;
  /** Everything it is made of, to be taken apart. */
  readonly stack: AsyncDisposableStack;
}

/** A running daemon; made by `startDaemon`. */
export class Daemon implements AsyncDisposable {
  readonly log: Log;
  readonly #discovery: PublishedDiscovery;
  readonly #stack: AsyncDisposableStack;
  readonly #stopped = Promise.withResolvers<void>();
  #stopping: Promise<void> | undefined;

  constructor({ discovery, log, stack }: RunningParts) {
    this.log = log;
    this.#discovery = discovery;
    this.#stack = stack;
  }

  /** The address of its HTTP face, without a token. */
  get url(): string {
    return this.#discovery.current.endpoints.http.url;
  }

  /** The address for a person to open; browsers keep what follows `#` to themselves. */
  get urlWithToken(): string {
    return `${this.url}#token=${this.#discovery.current.token}`;
  }

  get socketPath(): string {
    return this.#discovery.current.endpoints.socket;
  }

  /** Resolves once it has ended. */
  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  /** Ends all terminals by their policy, writes everything down and closes everything; can be called again. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stack.disposeAsync().finally(() => this.#stopped.resolve());
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
