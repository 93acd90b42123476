import type { ClientId } from "@nacre/contracts";
import type { CallContext, Requester } from "../../../operations/call-context.ts";
import type { Audience, Envelope } from "./envelope.ts";

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

/** How a snapshot is prepared. */
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
