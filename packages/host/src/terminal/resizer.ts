import type { CallerId, Size } from "@nacre/contracts";

/** A person who drags a window sends many sizes; programs redraw for each, and only the last one matters. */
const MIN_INTERVAL_MS = 50;

/** What a new size is done with. */
export interface ResizeTarget {
  /** Gives the program its size; what is refused changes nothing. */
  apply(size: Size): Promise<void>;
  /** Records the size that the program has now. */
  record(size: Size, by: CallerId | undefined): Promise<void>;
}

interface PendingResize {
  readonly size: Size;
  readonly by: CallerId | undefined;
  readonly settled: PromiseWithResolvers<Size>;
}

/** Gives a Terminal its sizes: the first at once, of many only the last, and never one that it has. */
export class Resizer implements Disposable {
  readonly #target: ResizeTarget;
  #size: Size;
  #wanted: PendingResize | undefined;
  #isBusy = false;
  #isOver = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(size: Size, target: ResizeTarget) {
    this.#size = size;
    this.#target = target;
  }

  /** The size that the program has. */
  get size(): Size {
    return this.#size;
  }

  /** Resolves with the real size once this one, or a newer one, is in force. */
  request(size: Size, by?: CallerId): Promise<Size> {
    if (this.#isOver) return Promise.resolve(this.#size);
    const settled = this.#wanted?.settled ?? Promise.withResolvers<Size>();
    this.#wanted = { size, by, settled };
    if (!this.#isBusy) void this.#work();
    return settled.promise;
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
    this.#wanted?.settled.resolve(this.#size);
    this.#wanted = undefined;
  }

  async #work(): Promise<void> {
    this.#isBusy = true;
    const wanted = this.#wanted;
    this.#wanted = undefined;
    if (!wanted) {
      this.#isBusy = false;
      return;
    }
    try {
      if (!isSame(wanted.size, this.#size)) {
        await this.#target.apply(wanted.size);
        this.#size = wanted.size;
        await this.#target.record(wanted.size, wanted.by);
      }
      wanted.settled.resolve(this.#size);
    } catch (error) {
      wanted.settled.reject(error);
    }
    if (this.#isOver) return;
    this.#timer = setTimeout(() => void this.#work(), MIN_INTERVAL_MS);
    this.#timer.unref();
  }
}

const isSame = (one: Size, other: Size): boolean =>
  one.cols === other.cols && one.rows === other.rows;
