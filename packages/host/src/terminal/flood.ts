/** A program that had to wait again and again for this long writes faster than can be recorded, and not just a page. */
const FLOOD_MS = 100;

/** A program that did not have to wait for this long floods no more. */
const QUIET_MS = 1000;

/** What a flood needs of its Pty. */
interface Floodable {
  giveWay?(isGivingWay: boolean): boolean;
}

/** Watches one Pty for floods: while its program writes faster than can be recorded it leaves the processor to the recorder, and to who types elsewhere. */
export class Flood implements Disposable {
  readonly #pty: Floodable;
  readonly #now: () => number;
  #sinceMs = Number.NEGATIVE_INFINITY;
  #lastMs = Number.NEGATIVE_INFINITY;
  #quiet: NodeJS.Timeout | undefined;

  constructor(pty: Floodable, now: () => number = () => performance.now()) {
    this.#pty = pty;
    this.#now = now;
  }

  /** The program had to wait, because what it wrote before was not recorded yet. */
  note(): void {
    const now = this.#now();
    if (now - this.#lastMs > FLOOD_MS) this.#sinceMs = now;
    this.#lastMs = now;
    if (this.#quiet || now - this.#sinceMs < FLOOD_MS) return;
    if (this.#pty.giveWay?.(true)) this.#awaitQuiet(QUIET_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#quiet);
  }

  #awaitQuiet(ms: number): void {
    this.#quiet = setTimeout(() => {
      const restMs = this.#lastMs + QUIET_MS - this.#now();
      // What could not be set back to normal is tried again.
      if (restMs > 0) this.#awaitQuiet(restMs);
      else if (this.#pty.giveWay?.(false)) this.#quiet = undefined;
      else this.#awaitQuiet(QUIET_MS);
    }, ms).unref();
  }
}
