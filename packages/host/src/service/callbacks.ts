/** Functions that want to be called; one that throws does not hurt the others. */
export class Callbacks<Arguments extends readonly unknown[]> {
  readonly #all = new Set<(...args: Arguments) => void>();
  readonly #handleProblem: (error: unknown) => void;
  readonly #listMore: () => Iterable<(...args: Arguments) => void>;

  /** @param listMore Those that somebody else keeps. */
  constructor(
    handleProblem: (error: unknown) => void,
    listMore: () => Iterable<(...args: Arguments) => void> = () => [],
  ) {
    this.#handleProblem = handleProblem;
    this.#listMore = listMore;
  }

  /** Adds one; what is returned takes it away again. */
  add(callback: (...args: Arguments) => void): () => void {
    // The same function may be added twice and is then called twice.
    const own = (...args: Arguments): void => callback(...args);
    this.#all.add(own);
    return () => void this.#all.delete(own);
  }

  call(...args: Arguments): void {
    for (const callback of [...this.#all, ...this.#listMore()]) {
      try {
        callback(...args);
      } catch (error) {
        this.#handleProblem(error);
      }
    }
  }
}
