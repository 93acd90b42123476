/** All programs together above this rate write for nobody; a person reads a thousandth of it. */
const FLOOD_BYTES = 512 * 1024;

/** Then who wrote this much is part of the flood. */
const OWN_BYTES = 64 * 1024;

const FLOOD_MS = 1000;

/** Tells when so many bytes were written within the time. */
class RateMeter {
  readonly #maxBytes: number;
  #bytes = 0;
  #sinceMs = Number.NEGATIVE_INFINITY;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  note(byteCount: number, now: number): boolean {
    this.#bytes += byteCount;
    if (this.#bytes < this.#maxBytes) return false;
    const isFlood = now - this.#sinceMs <= FLOOD_MS;
    this.#bytes = 0;
    this.#sinceMs = now;
    return isFlood;
  }
}

/** What all terminals write. */
export class HostOutputRate {
  readonly #meter = new RateMeter(FLOOD_BYTES);
  #floodedAtMs = Number.NEGATIVE_INFINITY;
  /** How many of them give way. */
  count = 0;

  /** Whether there is a flood. */
  note(byteCount: number, now: number): boolean {
    if (this.#meter.note(byteCount, now)) this.#floodedAtMs = now;
    return now - this.#floodedAtMs <= FLOOD_MS;
  }
}

/** One for all terminals of this process: they share its machine. */
const HOST_OUTPUT_RATE = new HostOutputRate();

/** What a flood needs of its Pty. */
interface PrioritizedPty {
  lowerPriority?(among: number): boolean;
}

/**
 * Detects floods of one PTY: while its program writes more than anybody can read, it yields the CPU to the recorder and
 * to those who type elsewhere.
 */
export class OutputRateWatch implements Disposable {
  readonly #pty: PrioritizedPty;
  readonly #hostRate: HostOutputRate;
  readonly #now: () => number;
  readonly #meter = new RateMeter(OWN_BYTES);
  #floodedAtMs = Number.NEGATIVE_INFINITY;
  /** Among how many it gives way. */
  #among = 0;
  #quiet: NodeJS.Timeout | undefined;

  constructor(
    pty: PrioritizedPty,
    floods = HOST_OUTPUT_RATE,
    now: () => number = () => performance.now(),
  ) {
    this.#pty = pty;
    this.#hostRate = floods;
    this.#now = now;
  }

  /** The program wrote so many bytes. */
  note(byteCount: number): void {
    const now = this.#now();
    const isFlood = this.#hostRate.note(byteCount, now);
    if (!this.#meter.note(byteCount, now) || !isFlood) return;
    this.#floodedAtMs = now;
    if (!this.#quiet && this.#lowerPriority(this.#hostRate.count + 1)) this.#awaitQuiet(FLOOD_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#quiet);
    if (this.#among > 0) this.#hostRate.count--;
    this.#among = 0;
  }

  #awaitQuiet(ms: number): void {
    this.#quiet = setTimeout(() => {
      const restMs = this.#floodedAtMs + FLOOD_MS - this.#now();
      const among = restMs > 0 ? this.#hostRate.count : 0;
      // What could not be set is tried again.
      if (among !== this.#among) this.#lowerPriority(among);
      if (this.#among > 0) this.#awaitQuiet(restMs > 0 ? restMs : FLOOD_MS);
      else this.#quiet = undefined;
    }, ms).unref();
  }

  #lowerPriority(among: number): boolean {
    if (!this.#pty.lowerPriority?.(among)) return false;
    this.#hostRate.count += Math.sign(among) - Math.sign(this.#among);
    this.#among = among;
    return true;
  }
}
