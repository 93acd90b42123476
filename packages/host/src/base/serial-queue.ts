/** Runs tasks one after the other, in order; a failure does not stop the next. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when everything queued before is done, however it ended. */
  get settled(): Promise<unknown> {
    return this.#last;
  }

  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    // The caller gets the failure; the next task only waits for the end.
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** One queue per key; a task at the head starts synchronously. */
export class KeyedSerialQueue {
  readonly #ends = new Map<string, Promise<unknown>>();

  run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const before = this.#ends.get(key);
    const done = before ? before.then(work) : work();
    const end = done
      .catch(() => undefined)
      .then(() => {
        if (this.#ends.get(key) === end) this.#ends.delete(key);
      });
    this.#ends.set(key, end);
    return done;
  }
}
