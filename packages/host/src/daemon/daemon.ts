import type { PublishedDiscovery } from "./discovery.ts";
import type { Log } from "./log.ts";

export interface ShutdownMode {
  /** Programs continue in the keeper, where there is one. */
  keepsPrograms: boolean;
}

export interface DaemonDeps {
  readonly discovery: PublishedDiscovery;
  readonly log: Log;
  /** Read when the parts are disposed of. */
  readonly ending: ShutdownMode;
  readonly stack: AsyncDisposableStack;
}

/** Made by `startDaemon`. */
export class Daemon implements AsyncDisposable {
  readonly log: Log;
  readonly #discovery: PublishedDiscovery;
  readonly #ending: ShutdownMode;
  readonly #stack: AsyncDisposableStack;
  readonly #stopped = Promise.withResolvers<void>();
  #stopping: Promise<void> | undefined;

  constructor({ discovery, log, ending, stack }: DaemonDeps) {
    this.log = log;
    this.#ending = ending;
    this.#discovery = discovery;
    this.#stack = stack;
  }

  /** Of the HTTP listener, without a token. */
  get url(): string {
    return this.#discovery.current.endpoints.http.url;
  }

  /** For a person to open; browsers do not send the fragment. */
  get urlWithToken(): string {
    return `${this.url}#token=${this.#discovery.current.token}`;
  }

  get socketPath(): string {
    return this.#discovery.current.endpoints.socket;
  }

  get stopped(): Promise<void> {
    return this.#stopped.promise;
  }

  /**
   * Ends all terminals by their policy or leaves them to the next daemon, records everything and closes; idempotent.
   */
  stop(how: Partial<ShutdownMode> = {}): Promise<void> {
    if (!this.#stopping) Object.assign(this.#ending, how);
    this.#stopping ??= this.#stack.disposeAsync().finally(() => this.#stopped.resolve());
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
