import type { CallerId } from "@nacre/contracts";

/** So many refusals of one caller are written down at once: more than an honest mistake makes. */
export const REFUSALS_AT_ONCE = 200;

/** And so many per second after that: the audit keeps a bounded number of records, and whoever is refused without end must not push out what was done. */
export const REFUSALS_PER_SECOND = 10;

/** More callers than a host has credentials; the one refused longest ago is forgotten. */
const MAX_ACCOUNTS = 1024;

const SECOND_MS = 1000;

interface Account {
  /** How many refusals more are written down. */
  credit: number;
  /** When that was counted, in ms. */
  at: number;
  /** How many were not, since the last that was. */
  unwritten: number;
}

/** Knows of each caller how many of its refusals are still written down; the others are counted in the next that is. */
export class RefusalBudget {
  readonly #accounts = new Map<CallerId, Account>();
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** How many were left out before this refusal; undefined when this one is left out too. */
  take(caller: CallerId): number | undefined {
    const account = this.#accountOf(caller);
    if (account.credit < 1) {
      account.unwritten += 1;
      return undefined;
    }
    const { unwritten } = account;
    account.credit -= 1;
    account.unwritten = 0;
    return unwritten;
  }

  #accountOf(caller: CallerId): Account {
    const now = this.#now();
    const known = this.#accounts.get(caller);
    const account = known ?? { credit: REFUSALS_AT_ONCE, at: now, unwritten: 0 };
    const earned = ((now - account.at) / SECOND_MS) * REFUSALS_PER_SECOND;
    account.credit = Math.min(REFUSALS_AT_ONCE, account.credit + earned);
    account.at = now;
    // The one that was refused last is the last to be forgotten.
    this.#accounts.delete(caller);
    this.#accounts.set(caller, account);
    const [oldest] = this.#accounts.keys();
    if (oldest !== undefined && this.#accounts.size > MAX_ACCOUNTS) this.#accounts.delete(oldest);
    return account;
  }
}
