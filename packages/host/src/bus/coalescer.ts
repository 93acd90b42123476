export interface CoalescerOptions<Key> {
  /** The most runs in a second, of each key. */
  readonly perSecond: number;
  /** Does it once for everything that was asked until it begins; never runs twice at the same time for one key. */
  run(key: Key): void | Promise<void>;
  /** A run threw. */
  failed(error: unknown): void;
}

interface Cooldown {
  readonly timer: NodeJS.Timeout;
  /** Whether it was asked for again since the last run began. */
  isAsked: boolean;
  isOver: boolean;
  isRunning: boolean;
}

/** Does something at once when asked, and again only after a pause: what is asked in between is done once, at its end. */
export class Coalescer<Key> implements Disposable {
  readonly #options: CoalescerOptions<Key>;
  readonly #pauses = new Map<Key, Cooldown>();
  #isClosed = false;

  constructor(options: CoalescerOptions<Key>) {
    this.#options = options;
  }

  /** Asks for a run; one that begins after this call is certain to follow. */
  ask(key: Key): void {
    if (this.#isClosed) return;
    const pause = this.#pauses.get(key);
    if (pause === undefined) this.#begin(key);
    else pause.isAsked = true;
  }

  /** Forgets a key: what was asked for is not done any more. */
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

  /** Begins again, or ends, when both the run and the pause after it are over. */
  #goOn(key: Key, pause: Cooldown): void {
    if (pause.isRunning || !pause.isOver || this.#pauses.get(key) !== pause) return;
    this.#pauses.delete(key);
    if (pause.isAsked) this.#begin(key);
  }
}
