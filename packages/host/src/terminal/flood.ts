/** A program that writes this much within a second writes for no reader; a person reads a thousandth of it. */
const FLOOD_BYTES = 512 * 1024;
const FLOOD_MS = 1000;

/** What a flood needs of its Pty. */
interface Floodable {
  giveWay?(isGivingWay: boolean): boolean;
}

/** Watches one Pty for floods: while its program writes more than anybody can read it leaves the processor to the recorder, and to who types elsewhere. */
export class Flood implements Disposable {
  readonly #pty: Floodable;
  readonly #now: () => number;
  #bytes = 0;
  /** Since when the bytes are counted. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  #floodedAtMs = Number.NEGATIVE_INFINITY;
  #quiet: NodeJS.Timeout | undefined;

  constructor(pty: Floodable, now: () => number = () => performance.now()) {
    this.#pty = pty;
    this.#now = now;
  }

  /** The program wrote so many bytes. */
  note(byteCount: number): void {
    this.#bytes += byteCount;
    if (this.#bytes < FLOOD_BYTES) return;
    const now = this.#now();
    if (now - this.#sinceMs <= FLOOD_MS) this.#handleFlood(now);
    this.#bytes = 0;
    this.#sinceMs = now;
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#quiet);
  }

  #handleFlood(now: number): void {
    this.#floodedAtMs = now;
    if (!this.#quiet && this.#pty.giveWay?.(true)) this.#awaitQuiet(FLOOD_MS);
  }

  #awaitQuiet(ms: number): void {
    this.#quiet = setTimeout(() => {
      const restMs = this.#floodedAtMs + FLOOD_MS - this.#now();
      // What could not be set back to normal is tried again.
      if (restMs > 0) this.#awaitQuiet(restMs);
      else if (this.#pty.giveWay?.(false)) this.#quiet = undefined;
      else this.#awaitQuiet(FLOOD_MS);
    }, ms).unref();
  }
}
