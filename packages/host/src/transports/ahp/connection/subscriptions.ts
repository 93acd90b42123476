import type { ClientId } from "@nacre/contracts";
import { type CallContext, requesterOf } from "../../../operations/call-context.ts";
import type { Channel, Subscriber } from "../channels/channel.ts";
import type { Audience, Envelope } from "../channels/envelope.ts";
import { ROOT_URI } from "../protocol/uri.ts";
import { isChannelEnded, isChannelNotFound } from "./channel-opener.ts";
import type { ChannelQueue, Outbox } from "./outbox.ts";

/** Longest interval of retries during a flood. */
const MAX_RETRY_MS = 30_000;

interface ResyncSchedulerDeps {
  readonly subscriptions: Subscriptions;
  /** Delay before a failed or provisional channel is retried. */
  readonly retryMs: number;
  /** A channel was sent anew up to this number. */
  readonly handleResynced: (serverSeq: number) => void;
  /** Asks whether the client caught up. */
  readonly goOn: () => void;
  readonly handleProblem: (error: unknown) => void;
}

/**
 * Resynchronises what a client was too slow for, and what it got provisionally during a flood: one channel at a time,
 * when nothing else is queued.
 */
export class ResyncScheduler {
  readonly #deps: ResyncSchedulerDeps;
  #isBusy = false;
  #retryMs: number;
  #isPlanned = false;

  constructor(deps: ResyncSchedulerDeps) {
    this.#deps = deps;
    this.#retryMs = deps.retryMs;
  }

  /** Resynchronises one channel that is behind. */
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

  /** Retries a provisional channel; the delay grows during a flood. */
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

  /** False when it failed and has to be retried; a provisional one is only replaced by a better one. */
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

/** Under one name. */
export interface ChannelSubscription extends ChannelQueue {
  readonly uri: string;
  readonly channel: Channel;
  /** The client has a provisional snapshot, to be replaced by a better one. */
  isProvisional: boolean;
}

export interface SubscriptionsDeps {
  readonly audience: Audience;
  readonly clientId: ClientId;
  readonly context: CallContext;
  readonly outbox: Pick<Outbox, "sendOwn" | "send" | "replace" | "forget">;
  /** Something is sent while something else is left out. */
  readonly handleGap: () => void;
}

/** Until the channel is followed or the client cancels. */
export interface PendingSubscription extends Disposable {
  readonly uri: string;
  isWanted: boolean;
  /** Fulfilled or failed. */
  readonly settled: Promise<void>;
}

/** The channels that one connection follows; their envelopes go into its outbox in order. */
export class Subscriptions implements Subscriber, Disposable {
  readonly audience: Audience;
  readonly clientId: ClientId;
  readonly context: CallContext;
  readonly #deps: SubscriptionsDeps;
  readonly #followed = new Map<string, ChannelSubscription>();
  readonly #pending = new Set<PendingSubscription>();
  #hasGap = false;
  #isOver = false;

  constructor(deps: SubscriptionsDeps) {
    this.#deps = deps;
    this.audience = deps.audience;
    this.clientId = deps.clientId;
    this.context = deps.context;
  }

  get behind(): ChannelSubscription | undefined {
    return this.#hasGap ? [...this.#followed.values()].find(({ isBehind }) => isBehind) : undefined;
  }

  get provisional(): ChannelSubscription | undefined {
    return this.#hasGap
      ? [...this.#followed.values()].find(({ isProvisional }) => isProvisional)
      : undefined;
  }

  /** Opening takes its time. */
  addPending(uri: string): PendingSubscription {
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    const wish: PendingSubscription = {
      uri,
      isWanted: true,
      settled,
      [Symbol.dispose]: () => {
        this.#pending.delete(wish);
        resolve();
      },
    };
    this.#pending.add(wish);
    return wish;
  }

  /** Undefined where the channel is not pending. */
  settled(uri: string): Promise<unknown> | undefined {
    const wishes = [...this.#pending].filter((wish) => wish.uri === uri);
    return wishes.length > 0 ? Promise.all(wishes.map(({ settled }) => settled)) : undefined;
  }

  /** Only right after its snapshot was taken or its replay collected. */
  follow(uri: string, channel: Channel, isProvisional = false): void {
    if (this.#isOver) return;
    this.#dropEnded();
    this.#hasGap ||= isProvisional;
    const known = this.#followed.get(uri);
    if (known?.channel === channel) {
      known.isBehind = false;
      known.isProvisional = isProvisional;
      return;
    }
    // A channel that ended leaves its name to another one.
    if (known) this.#drop(known);
    this.#followed.set(uri, { uri, channel, isBehind: false, isProvisional });
    channel.join(this, uri);
  }

  /** Exactly this subscription. */
  has(subscription: ChannelSubscription): boolean {
    return this.#followed.get(subscription.uri) === subscription;
  }

  /** Queued frames are dropped. */
  unfollow(uri: string): void {
    for (const wish of this.#pending) if (wish.uri === uri) wish.isWanted = false;
    const subscription = this.#followed.get(uri);
    if (subscription) this.#drop(subscription);
  }

  /** From a channel under one of its names, or for this client alone. */
  offer(envelope: Envelope, uri: string): void {
    if (this.#isOver) return;
    const { outbox } = this.#deps;
    const { bytes, isOwn, origin } = envelope;
    const sendable = { bytes, makeFrame: () => envelope.frame(this.audience, uri) };
    const subscription = this.#followed.get(uri);
    if (isOwn || (subscription && origin?.clientId === this.clientId)) outbox.sendOwn(sendable);
    else if (!subscription) return;
    // A list replaces the one before.
    else if (uri === ROOT_URI) outbox.replace(subscription, sendable);
    else outbox.send(subscription, sendable);
    this.noteSent();
  }

  /** The client's copy may be wrong: nothing more is sent until it is resynchronised. */
  markStale(uri: string): void {
    const subscription = this.#followed.get(uri);
    if (!subscription) return;
    this.#deps.outbox.forget(subscription);
    subscription.isBehind = true;
    this.noteGap();
  }

  noteGap(): void {
    this.#hasGap = true;
    this.noteSent();
  }

  noteSent(): void {
    if (!this.#hasGap) return;
    this.#hasGap = (this.behind ?? this.provisional) !== undefined;
    if (this.#hasGap) this.#deps.handleGap();
  }

  [Symbol.dispose](): void {
    this.#isOver = true;
    for (const { channel, uri } of this.#followed.values()) channel.leave(this, uri);
    this.#followed.clear();
    this.#pending.clear();
  }

  /** Clients need not unsubscribe from what is gone. */
  #dropEnded(): void {
    for (const subscription of this.#followed.values()) {
      if (isChannelEnded(subscription.channel)) this.#drop(subscription);
    }
  }

  #drop(subscription: ChannelSubscription): void {
    const { channel, uri } = subscription;
    channel.leave(this, uri);
    this.#followed.delete(uri);
    this.#deps.outbox.forget(subscription);
  }
}
