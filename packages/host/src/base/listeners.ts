/** Functions that want to know that something may have changed. */
export class Listeners {
  readonly #all = new Set<() => void>();

  /** Adds one, until what is returned is disposed of. */
  add(listener: () => void): Disposable {
    this.#all.add(listener);
    return { [Symbol.dispose]: () => void this.#all.delete(listener) };
  }

  call(): void {
    for (const listener of this.#all) listener();
  }
}
