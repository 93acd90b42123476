import { requesterOf } from "../../../operations/call-context.ts";
import { isChannelNotFound } from "./channel-opener.ts";
import type { ChannelSubscription, Subscriptions } from "./subscriptions.ts";

/** A flood may go on for long; what was told in the middle of one is tried again this often at least. */
const MAX_RETRY_MS = 30_000;

/** What telling anew needs. */
export interface ResyncSchedulerDeps {
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
export class ResyncScheduler {
  readonly #deps: ResyncSchedulerDeps;
  #isBusy = false;
  #retryMs: number;
  #isPlanned = false;

  constructor(parts: ResyncSchedulerDeps) {
    this.#deps = parts;
    this.#retryMs = parts.retryMs;
  }

  /** Little waits for the client: one of the channels that are behind is told anew. */
  readonly handleCalm = (): void => {
    const { behind, provisional } = this.#deps.subscriptions;
    if (behind && !this.#isBusy) void this.#catchUp(behind);
    else if (provisional && !behind) this.#scheduleImprovement();
  };

  async #catchUp(subscription: ChannelSubscription): Promise<void> {
    const { goOn, retryMs } = this.#deps;
    this.#isBusy = true;
    const isTold = await this.#resync(subscription, false);
    this.#isBusy = false;
    if (isTold) goOn();
    else setTimeout(goOn, retryMs).unref();
  }

  /** Tries after a while whether a provisional one can be told better; a flood makes that while longer and longer. */
  #scheduleImprovement(): void {
    if (this.#isPlanned) return;
    this.#isPlanned = true;
    setTimeout(() => void this.#improve(), this.#retryMs).unref();
  }

  async #improve(): Promise<void> {
    const { subscriptions, goOn, retryMs } = this.#deps;
    const { provisional } = subscriptions;
    const isTold = provisional === undefined || (await this.#resync(provisional, true));
    this.#isPlanned = false;
    const isBetter = isTold && provisional?.isProvisional !== true;
    this.#retryMs = isBetter ? retryMs : Math.min(2 * this.#retryMs, MAX_RETRY_MS);
    if (subscriptions.provisional) this.#scheduleImprovement();
    goOn();
  }

  /** Tells a channel anew, a provisional one only better than before; false when that failed and has to be tried again later. */
  async #resync(subscription: ChannelSubscription, isBetter: boolean): Promise<boolean> {
    const { subscriptions, handleResynced, handleProblem } = this.#deps;
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
      const isOver = isChannelNotFound(error);
      if (isOver && subscriptions.has(subscription)) subscriptions.unfollow(uri);
      if (!isOver && !requester.signal?.aborted) handleProblem(error);
      return isOver;
    }
  }
}
