export interface CoalescerOptions<Key> {
  /** Per key. */
  readonly perSecond: number;
  /** Serves all requests made before it starts; never concurrent for one key. */
  run(key: Key): void | Promise<void>;
  failed(error: unknown): void;
}

interface Cooldown {
  readonly timer: NodeJS.Timeout;
  isAsked: boolean;
  isOver: boolean;
  isRunning: boolean;
}

/**
 * Runs at once, then at most once per interval: requests in between share the next run. Throttles with leading and
 * trailing edge.
 */
export class Coalescer<Key> implements Disposable {
  readonly #options: CoalescerOptions<Key>;
  readonly #pauses = new Map<Key, Cooldown>();
  #isClosed = false;

  constructor(options: CoalescerOptions<Key>) {
    this.#options = options;
  }

  /** A run that starts after this call is certain to follow. */
  ask(key: Key): void {
    if (this.#isClosed) return;
    const pause = this.#pauses.get(key);
    if (pause === undefined) this.#begin(key);
    else pause.isAsked = true;
  }

  /** Drops a key and its pending run. */
  forget(key: Key): void {
    clearTimeout(this.#pauses.get(key)?.timer);
    this.#pauses.delete(key);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    for (const key of this.#pauses.keys()) this.forget(key);
  }

  #begin(key: Key): void {
    const timer = setTimeout(() => {
      pause.isOver = true;
      this.#goOn(key, pause);
    }, 1000 / this.#options.perSecond);
    const pause: Cooldown = { timer, isAsked: false, isOver: false, isRunning: true };
    this.#pauses.set(key, pause);
    void this.#run(key, pause);
  }

  async #run(key: Key, pause: Cooldown): Promise<void> {
    try {
      await this.#options.run(key);
    } catch (error) {
      this.#options.failed(error);
    }
    pause.isRunning = false;
    this.#goOn(key, pause);
  }

  /** Runs again or stops, once both the run and its pause are over. */
  #goOn(key: Key, pause: Cooldown): void {
    if (pause.isRunning || !pause.isOver || this.#pauses.get(key) !== pause) return;
    this.#pauses.delete(key);
    if (pause.isAsked) this.#begin(key);
  }
}
