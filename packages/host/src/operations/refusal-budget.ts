import type { CallerId } from "@nacre/contracts";

/** So many refusals of one caller are written down at once: more than an honest mistake makes. */
export const REFUSAL_BURST = 200;

/** And so many per second after that: the audit keeps a bounded number of records, and whoever is refused without end must not push out what was done. */
export const REFUSALS_PER_SECOND = 10;

/** More callers than a host has credentials; the one refused longest ago is forgotten. */
const MAX_BUCKETS = 1024;

const SECOND_MS = 1000;

interface TokenBucket {
  /** How many refusals more are written down. */
  credit: number;
  /** When that was counted, in ms. */
  at: number;
  /** How many were not, since the last that was. */
  unwritten: number;
}

/** Knows of each caller how many of its refusals are still written down; the others are counted in the next that is. */
export class RefusalRateLimit {
  readonly #buckets = new Map<CallerId, TokenBucket>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many were left out before this refusal; undefined when this one is left out too. */
  take(caller: CallerId): number | undefined {
    const account = this.#refill(caller);
    if (account.credit < 1) {
      account.unwritten += 1;
      return undefined;
    }
    const { unwritten } = account;
    account.credit -= 1;
    account.unwritten = 0;
    return unwritten;
  }

  #refill(caller: CallerId): TokenBucket {
    const now = this.#now();
    const known = this.#buckets.get(caller);
    const account = known ?? { credit: REFUSAL_BURST, at: now, unwritten: 0 };
    const earned = ((now - account.at) / SECOND_MS) * REFUSALS_PER_SECOND;
    account.credit = Math.min(REFUSAL_BURST, account.credit + earned);
    account.at = now;
    // The one that was refused last is the last to be forgotten.
    this.#buckets.delete(caller);
    this.#buckets.set(caller, account);
    const [oldest] = this.#buckets.keys();
    if (oldest !== undefined && this.#buckets.size > MAX_BUCKETS) this.#buckets.delete(oldest);
    return account;
  }
}
