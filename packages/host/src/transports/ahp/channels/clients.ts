import type { CallerId, ClientId } from "@nacre/contracts";
import type { NegotiatedVersion } from "../protocol/version.ts";
import type { ChannelLimits, Subscriber } from "./channel.ts";
import type { Envelope, ServerSeq } from "./envelope.ts";
import { ActionHistory } from "./action-history.ts";

interface ClientRecordDeps {
  readonly clientId: ClientId;
  /** Whose client it is. */
  readonly callerId: CallerId;
  readonly agreement: NegotiatedVersion;
  /** The last number given before it. */
  readonly serverSeq: number;
  readonly maxBytes: number;
  readonly handleProblem: (error: unknown) => void;
}

/** What is remembered of one client, over all its connections. */
export class ClientRecord {
  readonly clientId: ClientId;
  readonly callerId: CallerId;
  /** What its newest connection agreed on. */
  agreement: NegotiatedVersion;
  /** The sessions that it speaks for: it moves their claims as they would. */
  readonly sessions = new Set<string>();
  /** A connection was told something anew up to this number: who has less cannot go on from there. */
  resyncedTo = 0;
  /** The number of the last snapshot that it was answered with, by the name of the channel. */
  readonly #snapshots = new Map<string, number>();
  readonly connections = new Set<Subscriber>();
  readonly #own: ActionHistory;
  readonly #handleProblem: (error: unknown) => void;

  constructor(deps: ClientRecordDeps) {
    const { clientId, callerId, agreement, serverSeq, maxBytes, handleProblem } = deps;
    this.clientId = clientId;
    this.callerId = callerId;
    this.agreement = agreement;
    this.#own = new ActionHistory(serverSeq, () => maxBytes);
    this.#handleProblem = handleProblem;
  }

  /** Keeps an envelope that is for this client only, and offers it to its connections by the names that each is to see. */
  publish(envelope: Envelope, namesFor?: (connection: Subscriber) => readonly string[]): void {
    this.#own.push(envelope);
    for (const connection of this.connections) {
      try {
        const names = namesFor?.(connection) ?? [envelope.channel];
        for (const name of names) connection.offer(envelope, name);
      } catch (error) {
        this.#handleProblem(error);
      }
    }
  }

  /** What its connections have of a channel may be wrong. */
  markStale(namesFor: (connection: Subscriber) => readonly string[]): void {
    for (const connection of this.connections) {
      for (const name of namesFor(connection)) connection.markStale(name);
    }
  }

  /** What was told to this client only after a number, or undefined when some is not kept any more. */
  after(serverSeq: number): readonly Envelope[] | undefined {
    return this.#own.after(serverSeq);
  }

  /** Notes that it was answered with a snapshot of a channel. */
  noteSnapshot(uri: string, fromSeq: number): void {
    this.#snapshots.set(uri, fromSeq);
  }

  /** It follows a channel no longer. */
  forgetSnapshot(uri: string): void {
    this.#snapshots.delete(uri);
  }

  /** Whether a snapshot of a channel may have more than everything up to a number: many clients only count actions. */
  hasNewerSnapshot(uri: string, serverSeq: number): boolean {
    return serverSeq < (this.#snapshots.get(uri) ?? 0);
  }
}

export interface ClientsDeps {
  readonly numbers: ServerSeq;
  readonly limits: Pick<ChannelLimits, "clientMs" | "clients" | "ownHistoryBytes">;
  readonly handleProblem: (error: unknown) => void;
  /** Milliseconds that never go back. */
  readonly now?: (() => number) | undefined;
}

/** One connection of a client, until it is disposed of. */
export interface ClientConnection extends Disposable {
  readonly record: ClientRecord;
}

/** The clients of a host: those that are connected, and for a while those that were. */
export class Clients {
  readonly #deps: ClientsDeps;
  readonly #records = new Map<ClientId, ClientRecord>();
  /** Since when those without a connection have none, the oldest first. */
  readonly #leftAt = new Map<ClientId, number>();

  constructor(deps: ClientsDeps) {
    this.#deps = deps;
  }

  /** What is remembered of a client; nothing when it never was here or left too long ago. */
  find(clientId: ClientId): ClientRecord | undefined {
    this.#forget();
    return this.#records.get(clientId);
  }

  /** Whether something is remembered of a client. */
  isKnown(clientId: ClientId): boolean {
    return this.find(clientId) !== undefined;
  }

  /** Whether clients of another caller speak for a session, so that nobody can in their place. */
  isSessionOfOther(session: string, callerId: CallerId): boolean {
    this.#forget();
    for (const record of this.#records.values()) {
      if (record.callerId !== callerId && record.sessions.has(session)) return true;
    }
    return false;
  }

  /** Takes note of a connection and what it agreed on; what is for its client only is offered to it from here on. */
  connect(connection: Subscriber, agreement: NegotiatedVersion): ClientConnection {
    const { clientId } = connection;
    const record = this.find(clientId) ?? this.#create(connection, agreement);
    record.agreement = agreement;
    record.connections.add(connection);
    this.#leftAt.delete(clientId);
    return {
      record,
      [Symbol.dispose]: () => {
        record.connections.delete(connection);
        if (record.connections.size > 0 || this.#leftAt.has(clientId)) return;
        if (this.#records.get(clientId) !== record) return;
        this.#leftAt.set(clientId, this.#now());
        this.#forget();
      },
    };
  }

  #create({ clientId, audience }: Subscriber, agreement: NegotiatedVersion): ClientRecord {
    const { numbers, limits, handleProblem } = this.#deps;
    const record = new ClientRecord({
      clientId,
      callerId: audience.callerId,
      agreement,
      serverSeq: numbers.last,
      maxBytes: limits.ownHistoryBytes,
      handleProblem,
    });
    this.#records.set(clientId, record);
    return record;
  }

  /** Forgets who left too long ago, and of too many those who left first. */
  #forget(): void {
    const { clientMs, clients } = this.#deps.limits;
    const oldest = this.#now() - clientMs;
    for (const [clientId, leftAt] of this.#leftAt) {
      if (leftAt > oldest && this.#records.size <= clients) return;
      this.#leftAt.delete(clientId);
      this.#records.delete(clientId);
    }
  }

  #now(): number {
    return this.#deps.now?.() ?? performance.now();
  }
}
