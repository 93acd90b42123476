import { requesterOf } from "../../../operations/call-context.ts";
import { isGone } from "./channel-opener.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";

/** A flood may go on for long; what was told in the middle of one is tried again this often at least. */
const MAX_RETRY_MS = 30_000;

/** What telling anew needs. */
export interface ResyncParts {
  readonly subscriptions: Subscriptions;
  /** A channel that could not be read, such as from a disk that fails, or only provisionally, is tried again after this. */
  readonly retryMs: number;
  /** A channel was told anew, up to this number. */
  readonly handleResynced: (serverSeq: number) => void;
  /** Asks whether the client has taken everything by now. */
  readonly goOn: () => void;
  readonly handleProblem: (error: unknown) => void;
}

/**
 * Tells a client anew what it was too slow for, and what it was shown provisionally in the middle of a flood: one channel
 * at a time, each when nothing else waits for the client.
 */
export class Resync {
  readonly #parts: ResyncParts;
  #isBusy = false;
  #retryMs: number;
  #isPlanned = false;

  constructor(parts: ResyncParts) {
    this.#parts = parts;
    this.#retryMs = parts.retryMs;
  }

  /** Little waits for the client: one of the channels that are behind is told anew. */
  readonly handleCalm = (): void => {
    const { behind, provisional } = this.#parts.subscriptions;
    if (behind && !this.#isBusy) void this.#catchUp(behind);
    else if (provisional && !behind) this.#planBetter();
  };

  async #catchUp(subscription: Subscription): Promise<void> {
    const { goOn, retryMs } = this.#parts;
    this.#isBusy = true;
    const isTold = await this.#tellAnew(subscription, false);
    this.#isBusy = false;
    if (isTold) goOn();
    else setTimeout(goOn, retryMs).unref();
  }

  /** Tries after a while whether a provisional one can be told better; a flood makes that while longer and longer. */
  #planBetter(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setTimeout(() => void this.#tellBetter(), this.#retryMs).unref();
  }

  async #tellBetter(): Promise<void> {
    const { subscriptions, goOn, retryMs } = this.#parts;
    const { provisional } = subscriptions;
    const isTold = provisional === undefined || (await this.#tellAnew(provisional, true));
    this.#isPlanned = false;
    const isBetter = isTold && provisional?.isProvisional !== true;
    this.#retryMs = isBetter ? retryMs : Math.min(2 * this.#retryMs, MAX_RETRY_MS);
    if (subscriptions.provisional) this.#planBetter();
    goOn();
  }

  /** Tells a channel anew, a provisional one only better than before; false when that failed and has to be tried again later. */
  async #tellAnew(subscription: Subscription, isBetter: boolean): Promise<boolean> {
    const { subscriptions, handleResynced, handleProblem } = this.#parts;
    const { channel, uri } = subscription;
    const requester = requesterOf(subscriptions.context);
    try {
      using prepared = await channel.prepare(uri, { isPatient: isBetter, requester });
      const { isProvisional } = prepared;
      // It may have been subscribed to anew, or left, meanwhile.
      const isWanted = isBetter
        ? subscription.isProvisional && !isProvisional
        : subscription.isBehind;
      if (isWanted && subscriptions.has(subscription)) {
        subscription.isBehind = false;
        subscription.isProvisional = isProvisional;
        handleResynced(prepared.retell(subscriptions));
      }
      return true;
    } catch (error) {
      const isOver = isGone(error);
      if (isOver && subscriptions.has(subscription)) subscriptions.unfollow(uri);
      if (!isOver && !requester.signal?.aborted) handleProblem(error);
      return isOver;
    }
  }
}
