/** Does one thing after the other, in the order in which they were asked for; one that fails stops no other. */
export class SerialQueue {
  #last: Promise<unknown> = Promise.resolve();

  /** Resolves when everything that was asked for before is done, however it ended. */
  get settled(): Promise<unknown> {
    return this.#last;
  }

  /** Does this when everything before it is done. */
  run<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    // Whoever asked for it hears of its failure; the next one only has to know that it is over.
    this.#last = done.catch(() => undefined);
    return done;
  }
}

/** The same for each key by itself; one that nothing is before begins at once. */
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
