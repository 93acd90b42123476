import type { Envelope } from "./envelope.ts";

/** Fewer dropped envelopes are not worth compacting. */
const MIN_DROPPED = 256;

/** The newest envelopes of one channel or client; knows from where on it is complete. */
export class ActionHistory {
  readonly #maxBytes: () => number;
  /** Undefined: dropped. */
  #envelopes: (Envelope | undefined)[] = [];
  #first = 0;
  #bytes = 0;
  #completeAfter: number;
  #hasDropped = false;

  /** Complete for server sequences greater than `completeAfter`. */
  constructor(completeAfter: number, maxBytes: () => number) {
    this.#completeAfter = completeAfter;
    this.#maxBytes = maxBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get hasDropped(): boolean {
    return this.#hasDropped;
  }

  push(envelope: Envelope): void {
    this.#envelopes.push(envelope);
    this.#bytes += envelope.bytes;
    this.trim();
  }

  /** Drops the oldest until within bounds, which may have shrunk. */
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

  /** Undefined when some are gone. */
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
