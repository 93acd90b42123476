import type { PublishedDiscovery } from "./discovery.ts";
import type { Log } from "./log.ts";

/** How a Daemon ends. */
export interface ShutdownMode {
  /** Whether programs go on in the keeper, where there is one. */
  keepsPrograms: boolean;
}

export interface DaemonDeps {
  readonly discovery: PublishedDiscovery;
  readonly log: Log;
  /** How it is to end, which its parts look at when they are taken apart. */
  readonly ending: ShutdownMode;
  /** Everything it is made of, to be taken apart. */
  readonly stack: AsyncDisposableStack;
}

/** A running daemon; made by `startDaemon`. */
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

  /** Ends all terminals by their policy, or leaves them to the next daemon, writes everything down and closes everything; can be called again. */
  stop(how: Partial<ShutdownMode> = {}): Promise<void> {
    if (!this.#stopping) Object.assign(this.#ending, how);
    this.#stopping ??= this.#stack.disposeAsync().finally(() => this.#stopped.resolve());
    return this.#stopping;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop();
  }
}
