/** Works that are done one after the other where they have the same key, and side by side otherwise. */
export class KeyedQueue {
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Does the work once everything before it under the key is done; whatever becomes of that. */
  add<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
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
