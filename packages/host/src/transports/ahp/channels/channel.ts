import type { ClientId } from "@nacre/contracts";
import type { CallContext, Requester } from "../../../operations/call-context.ts";
import { JsonRpcError, RPC_CODES } from "../protocol/json-rpc.ts";
import type { Audience, Envelope } from "./envelope.ts";

/** That there is no channel of this name for the client, or not any more. */
export const channelNotFound = (uri: string): JsonRpcError =>
  new JsonRpcError(RPC_CODES.notFound, `there is no channel ${uri}`, { field: "channel" });

const KIB = 1024;
const MIB = 1024 * KIB;

/** What channels and clients may make the host hold; tests lower them. */
export interface ChannelLimits {
  /** Bytes of envelopes that one channel keeps for clients that come back. */
  readonly historyBytes: number;
  /** Bytes of envelopes that all channels keep together, by lowering the share of each. */
  readonly allHistoryBytes: number;
  /** No channel keeps less than this, however many there are. */
  readonly leastHistoryBytes: number;
  /** Bytes of lists that a root keeps; the newest list alone is enough for who comes back. */
  readonly rootHistoryBytes: number;
  /** Bytes of rejections and corrections that are kept for one client. */
  readonly ownHistoryBytes: number;
  /** A channel that nobody is subscribed to is kept this long for who comes back. */
  readonly channelMs: number;
  /** A channel that nobody can come back to is kept this long for who just opened it. */
  readonly lingerMs: number;
  /** Lists of terminals are told no more often than this. */
  readonly rootMs: number;
  /** Clients without a connection are remembered this long. */
  readonly clientMs: number;
  /** How many clients are remembered. */
  readonly clients: number;
  /** A feed that failed is opened again after this. */
  readonly retryMs: number;
}

/** The limits of every host. */
export const CHANNEL_LIMITS: ChannelLimits = {
  historyBytes: 2 * MIB,
  allHistoryBytes: 128 * MIB,
  leastHistoryBytes: 64 * KIB,
  rootHistoryBytes: 256 * KIB,
  ownHistoryBytes: 256 * KIB,
  channelMs: 10 * 60 * 1000,
  lingerMs: 10 * 1000,
  rootMs: 100,
  clientMs: 60 * 60 * 1000,
  clients: 1024,
  retryMs: 1000,
};

/** Who follows one channel, each by the names that it asked for. */
export class Subscribers {
  readonly #joined = new Map<Subscriber, Set<string>>();
  readonly #handleProblem: (error: unknown) => void;

  constructor(handleProblem: (error: unknown) => void) {
    this.#handleProblem = handleProblem;
  }

  get count(): number {
    return this.#joined.size;
  }

  get isEmpty(): boolean {
    return this.#joined.size === 0;
  }

  /** Adds a name of a subscriber; adding it again changes nothing. */
  add(subscriber: Subscriber, uri: string): void {
    const names = this.#joined.get(subscriber);
    if (names) names.add(uri);
    else this.#joined.set(subscriber, new Set([uri]));
  }

  remove(subscriber: Subscriber, uri: string): void {
    const names = this.#joined.get(subscriber);
    names?.delete(uri);
    if (names?.size === 0) this.#joined.delete(subscriber);
  }

  /** The names by which a subscriber follows the channel; none when it does not. */
  namesOf(subscriber: Subscriber): readonly string[] {
    return [...(this.#joined.get(subscriber) ?? [])];
  }

  /** Offers an envelope to all; who fails costs the others nothing. */
  offer(envelope: Envelope): void {
    for (const [subscriber, names] of this.#joined) {
      for (const name of names) {
        try {
          subscriber.offer(envelope, name);
        } catch (error) {
          this.#handleProblem(error);
        }
      }
    }
  }

  clear(): void {
    this.#joined.clear();
  }
}

/** Does something once nobody stopped it for a while; keeps no process alive. */
export class IdleTimer {
  readonly #handleIdle: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;

  constructor(handleIdle: () => void) {
    this.#handleIdle = handleIdle;
  }

  /** Waits no longer than this from now; what waits less already goes on. */
  start(idleMs: number): void {
    const dueAt = performance.now() + idleMs;
    if (this.#timer && this.#dueAt <= dueAt) return;
    this.stop();
    this.#dueAt = dueAt;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#handleIdle();
    }, idleMs).unref();
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** A connection, as channels see it. */
export interface Subscriber {
  readonly audience: Audience;
  /** The client behind it, as the host names it. */
  readonly clientId: ClientId;
  readonly context: CallContext;
  /** Takes the next envelope of a channel it joined, or one for its client; `channel` is the name it is known by. Never waits. */
  offer(envelope: Envelope, channel: string): void;
  /** What it has of a channel that it joined by this name may be wrong: it is told everything anew. */
  markStale(channel: string): void;
}

/** The state of a channel as of a number, as one audience reads it. */
export interface ShapedSnapshot {
  /** The channel, as it was asked for. */
  readonly resource: string;
  readonly state: unknown;
  /** The state has everything up to this number; what is told to who joins in the same turn has greater ones. */
  readonly fromSeq: number;
}

/** A snapshot that is kept up to date until it is disposed of, which must always be done. */
export interface PreparedSnapshot extends Disposable {
  /** How many characters of output it has, roughly; the root has none. */
  readonly length: number;
  /** Whether it was made in the middle of a flood, some of which is left out: later it can be told better. */
  readonly isProvisional: boolean;
  /** The state as of now, at once. */
  take(audience: Audience): ShapedSnapshot;
  /** Tells one connection alone everything anew as actions, at once; the last number given. */
  retell(subscriber: Subscriber): number;
}

export interface PrepareOptions {
  /** Whether it waits longer for what is not provisional; false when absent. */
  readonly isPatient?: boolean | undefined;
  /** Who waits for it. */
  readonly requester?: Requester | undefined;
}

/** What clients subscribe to: the root, or one terminal. */
export interface Channel {
  /** The name that the host gives it. */
  readonly uri: string;
  /** Prepares a snapshot, under the name that was asked for. */
  prepare(uri?: string, options?: PrepareOptions): Promise<PreparedSnapshot>;
  /** Tells a subscriber everything from here on, under the name that it asked for; to be done in the turn of `take()`. */
  join(subscriber: Subscriber, uri?: string): void;
  leave(subscriber: Subscriber, uri?: string): void;
  /** Every envelope after a number, or undefined when some are not kept any more. */
  after(serverSeq: number): readonly Envelope[] | undefined;
}
