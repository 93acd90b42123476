import type { ClientId } from "@nacre/contracts";
import { type CallContext, requesterOf } from "../../../operations/call-context.ts";
import type { Channel, Subscriber } from "../channels/channel.ts";
import type { Audience, Envelope } from "../channels/envelope.ts";
import { ROOT_URI } from "../protocol/uri.ts";
import { isChannelEnded, isChannelNotFound } from "./channel-opener.ts";
import type { ChannelQueue, Outbox } from "./outbox.ts";

/** A flood may go on for long; what was told in the middle of one is tried again this often at least. */
const MAX_RETRY_MS = 30_000;

interface ResyncSchedulerDeps {
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

  constructor(deps: ResyncSchedulerDeps) {
    this.#deps = deps;
    this.#retryMs = deps.retryMs;
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

/** A channel that a connection follows, under one name. */
export interface ChannelSubscription extends ChannelQueue {
  readonly uri: string;
  readonly channel: Channel;
  /** Whether its client has a provisional snapshot, to be told anew when there is a better one. */
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

/** That a client wants to follow a channel, until it is there or the client thinks better of it. */
export interface PendingSubscription extends Disposable {
  readonly uri: string;
  isWanted: boolean;
  /** Resolves when it is fulfilled, or cannot be. */
  readonly settled: Promise<void>;
}

/** The channels that one connection follows: what they tell goes into its outbox in the order it is told. */
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

  /** One of those that something was left out of. */
  get behind(): ChannelSubscription | undefined {
    return this.#hasGap ? [...this.#followed.values()].find(({ isBehind }) => isBehind) : undefined;
  }

  /** One of those that were shown provisionally. */
  get provisional(): ChannelSubscription | undefined {
    return this.#hasGap
      ? [...this.#followed.values()].find(({ isProvisional }) => isProvisional)
      : undefined;
  }

  /** Notes that a channel is wanted; what follows takes its time. */
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

  /** Resolves when a channel is followed that is wanted now; nothing where it is not waited for. */
  settled(uri: string): Promise<unknown> | undefined {
    const wishes = [...this.#pending].filter((wish) => wish.uri === uri);
    return wishes.length > 0 ? Promise.all(wishes.map(({ settled }) => settled)) : undefined;
  }

  /** Follows a channel from now on; only right after its snapshot was taken or its past was collected. */
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

  /** Whether exactly this subscription is still there. */
  has(subscription: ChannelSubscription): boolean {
    return this.#followed.get(subscription.uri) === subscription;
  }

  /** Follows a channel no longer; what waits of it is not sent any more. */
  unfollow(uri: string): void {
    for (const wish of this.#pending) if (wish.uri === uri) wish.isWanted = false;
    const subscription = this.#followed.get(uri);
    if (subscription) this.#drop(subscription);
  }

  /** Takes what a channel tells under one of its names, or what concerns this client alone. */
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

  /** What the client has of a channel may be wrong: nothing more of it is sent until it was told anew. */
  markStale(uri: string): void {
    const subscription = this.#followed.get(uri);
    if (!subscription) return;
    this.#deps.outbox.forget(subscription);
    subscription.isBehind = true;
    this.noteGap();
  }

  /** Something of a channel was left out. */
  noteGap(): void {
    this.#hasGap = true;
    this.noteSent();
  }

  /** The client gets to know another number. */
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

  /** Clients need not leave what is gone, which would be kept for them otherwise. */
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
