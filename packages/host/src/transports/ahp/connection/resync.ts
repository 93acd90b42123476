import { isGone } from "./channel-opener.ts";
import type { Subscription, Subscriptions } from "./subscriptions.ts";

/** A channel that could not be read, such as from a disk that fails, is tried again after this. */
const RETRY_MS = 1000;

/** What telling anew needs. */
export interface ResyncParts {
  readonly subscriptions: Subscriptions;
  /** A channel was told anew, up to this number. */
  readonly handleResynced: (serverSeq: number) => void;
  /** Asks whether the client has taken everything by now. */
  readonly goOn: () => void;
  readonly handleProblem: (error: unknown) => void;
}

/** Tells a client anew what it was too slow for: one channel at a time, each when nothing else waits for the client. */
export class Resync {
  readonly #parts: ResyncParts;
  #isBusy = false;

  constructor(parts: ResyncParts) {
    this.#parts = parts;
  }

  /** Little waits for the client: one of the channels that are behind is told anew. */
  readonly handleCalm = (): void => {
    const { behind } = this.#parts.subscriptions;
    if (this.#isBusy || !behind) return;
    this.#isBusy = true;
    void this.#tellAnew(behind).then((isTold) => {
      this.#isBusy = false;
      if (isTold) this.#parts.goOn();
      else setTimeout(this.#parts.goOn, RETRY_MS).unref();
    });
  };

  /** Resolves with false when it has to be tried again later. */
  async #tellAnew(subscription: Subscription): Promise<boolean> {
    const { subscriptions, handleResynced, handleProblem } = this.#parts;
    const { channel, uri } = subscription;
    try {
      using prepared = await channel.prepare(uri);
      // It may have been subscribed to anew, or left, meanwhile.
      if (subscription.isBehind && subscriptions.has(subscription)) {
        subscription.isBehind = false;
        handleResynced(prepared.retell(subscriptions));
      }
      return true;
    } catch (error) {
      const isOver = isGone(error);
      if (isOver && subscriptions.has(subscription)) subscriptions.unfollow(uri);
      if (!isOver) handleProblem(error);
      return isOver;
    }
  }
}
