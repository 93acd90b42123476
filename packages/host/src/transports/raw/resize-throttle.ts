import type { Size } from "@nacre/contracts";

/** A person who drags a window sends many sizes; asking for more of them than this would only be work. */
const MIN_INTERVAL_MS = 100;

/** Passes sizes on: the first at once, of many only the last, which is never lost. */
export class ResizeThrottle implements Disposable {
  readonly #apply: (size: Size) => void;
  readonly #intervalMs: number;
  #wanted: Size | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(apply: (size: Size) => void, intervalMs = MIN_INTERVAL_MS) {
    this.#apply = apply;
    this.#intervalMs = intervalMs;
  }

  /** Asks for a size; one that waits is replaced. */
  request(size: Size): void {
    this.#wanted = size;
    if (this.#timer === undefined) this.#pass();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#wanted = undefined;
  }

  #pass(): void {
    const size = this.#wanted;
    this.#wanted = undefined;
    this.#timer = undefined;
    if (!size) return;
    this.#timer = setTimeout(() => this.#pass(), this.#intervalMs);
    this.#timer.unref();
    this.#apply(size);
  }
}
