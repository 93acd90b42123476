import type { Envelope } from "./envelope.ts";

/** Fewer dropped envelopes than this are not worth cleaning up behind. */
const MIN_DROPPED = 256;

/** The newest envelopes of one channel or client, in order; it knows from where on it has all of them. */
export class ActionHistory {
  readonly #maxBytes: () => number;
  /** Nothing in the places of those that were dropped. */
  #envelopes: (Envelope | undefined)[] = [];
  #first = 0;
  #bytes = 0;
  #completeAfter: number;
  #hasDropped = false;

  /** Holds every action whose server sequence is greater than `completeAfter`. */
  constructor(completeAfter: number, maxBytes: () => number) {
    this.#completeAfter = completeAfter;
    this.#maxBytes = maxBytes;
  }

  /** What it costs to keep. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether something was dropped since the beginning. */
  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  push(envelope: Envelope): void {
    this.#envelopes.push(envelope);
    this.#bytes += envelope.bytes;
    this.trim();
  }

  /** Drops the oldest until the rest is within bounds, which may have become narrower. */
  trim(): void {
    const maxBytes = this.#maxBytes();
    while (this.#bytes > maxBytes) {
      const oldest = this.#envelopes[this.#first];
      if (!oldest) break;
      this.#envelopes[this.#first] = undefined;
      this.#first++;
      this.#bytes -= oldest.bytes;
      this.#completeAfter = oldest.serverSeq;
      this.#hasDropped = true;
    }
    if (this.#first < MIN_DROPPED && this.#first < this.#envelopes.length) return;
    this.#envelopes = this.#envelopes.slice(this.#first);
    this.#first = 0;
  }

  /** Every envelope after a number, or undefined when some are not kept any more. */
  after(serverSeq: number): readonly Envelope[] | undefined {
    if (serverSeq < this.#completeAfter) return undefined;
    return this.#envelopes.slice(this.#indexAfter(serverSeq)).filter((kept) => kept !== undefined);
  }

  #indexAfter(serverSeq: number): number {
    let [low, high] = [this.#first, this.#envelopes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const { serverSeq: found = 0 } = this.#envelopes[middle] ?? {};
      if (found > serverSeq) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
