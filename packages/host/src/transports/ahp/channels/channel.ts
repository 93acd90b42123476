import type { ClientId } from "@nacre/contracts";
import type { CallContext, Requester } from "../../../operations/call-context.ts";
import { JsonRpcError, RPC_CODES } from "../protocol/json-rpc.ts";
import type { Audience, Envelope } from "./envelope.ts";

export const channelNotFound = (uri: string): JsonRpcError =>
  new JsonRpcError(RPC_CODES.notFound, `there is no channel ${uri}`, { field: "channel" });

const KIB = 1024;
const MIB = 1024 * KIB;

/** Memory bounds of channels and clients; tests lower them. */
export interface ChannelLimits {
  /** Envelope bytes kept per channel for reconnecting clients. */
  readonly historyBytes: number;
  /** Envelope bytes of all channels together; lowers each one's share. */
  readonly allHistoryBytes: number;
  /** Minimum per channel, however many there are. */
  readonly leastHistoryBytes: number;
  /** A root's lists; the newest alone suffices for a reconnect. */
  readonly rootHistoryBytes: number;
  /** Rejections and corrections kept per client. */
  readonly ownHistoryBytes: number;
  /** How long a channel without subscribers is kept for reconnects. */
  readonly channelMs: number;
  /** How long a channel is kept that nobody can come back to. */
  readonly lingerMs: number;
  /** Minimum interval of lists. */
  readonly rootMs: number;
  /** How long clients without a connection are remembered. */
  readonly clientMs: number;
  readonly clients: number;
  /** Delay before a failed feed is reopened. */
  readonly retryMs: number;
}

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

/** With the names each asked for. */
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

  /** Idempotent. */
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

  /** Empty when it does not follow the channel. */
  namesOf(subscriber: Subscriber): readonly string[] {
    return [...(this.#joined.get(subscriber) ?? [])];
  }

  /** A failing subscriber does not affect the others. */
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

/** Fires once nobody stopped it for a while; does not keep the process alive. */
export class IdleTimer {
  readonly #handleIdle: () => void;
  #timer: NodeJS.Timeout | undefined;
  #dueAt = 0;

  constructor(handleIdle: () => void) {
    this.#handleIdle = handleIdle;
  }

  /** Shortens a running wait, never extends it. */
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

export interface Subscriber {
  readonly audience: Audience;
  /** As the host names it. */
  readonly clientId: ClientId;
  readonly context: CallContext;
  /**
   * The next envelope of a joined channel, or one for its client; `channel` is the name it is known by. Never waits.
   */
  offer(envelope: Envelope, channel: string): void;
  /** Its copy of this channel may be wrong: everything is sent anew. */
  markStale(channel: string): void;
}

/** As of a number, in one audience's shape. */
export interface ShapedSnapshot {
  /** As requested. */
  readonly resource: string;
  readonly state: unknown;
  /** Includes everything up to this number; joining in the same turn yields greater ones. */
  readonly fromSeq: number;
}

/** Kept up to date until disposed of, which is mandatory. */
export interface PreparedSnapshot extends Disposable {
  /** Approximate characters of output; 0 for the root. */
  readonly length: number;
  /** Made during a flood with parts left out: a better one can follow. */
  readonly isProvisional: boolean;
  /** Synchronous. */
  take(audience: Audience): ShapedSnapshot;
  /** Sends everything anew as actions to one connection; returns the last number. */
  retell(subscriber: Subscriber): number;
}

export interface PrepareOptions {
  /** Waits longer to avoid a provisional one; default false. */
  readonly isPatient?: boolean | undefined;
  readonly requester?: Requester | undefined;
}

/** The root, or one terminal. */
export interface Channel {
  /** As the host names it. */
  readonly uri: string;
  /** Under the requested name. */
  prepare(uri?: string, options?: PrepareOptions): Promise<PreparedSnapshot>;
  /** From here on, under the requested name; call in the same turn as `take()`. */
  join(subscriber: Subscriber, uri?: string): void;
  leave(subscriber: Subscriber, uri?: string): void;
  /** Undefined when some are gone. */
  after(serverSeq: number): readonly Envelope[] | undefined;
}
