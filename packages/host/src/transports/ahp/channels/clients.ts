import type { CallerId, ClientId } from "@nacre/contracts";
import type { NegotiatedVersion } from "../protocol/version.ts";
import type { ChannelLimits, Subscriber } from "./channel.ts";
import type { Envelope, ServerSeq } from "./envelope.ts";
import { ActionHistory } from "./action-history.ts";

interface ClientRecordDeps {
  readonly clientId: ClientId;
  readonly callerId: CallerId;
  readonly agreement: NegotiatedVersion;
  /** The last number before it. */
  readonly serverSeq: number;
  readonly maxBytes: number;
  readonly handleProblem: (error: unknown) => void;
}

/** Remembered across connections. */
export class ClientRecord {
  readonly clientId: ClientId;
  readonly callerId: CallerId;
  /** Of its newest connection. */
  agreement: NegotiatedVersion;
  /** Sessions it speaks for: it moves their claims as they would. */
  readonly sessions = new Set<string>();
  /** Something was sent anew up to this number; a client with less cannot continue from there. */
  resyncedTo = 0;
  /** By channel name: the number of the last snapshot it got. */
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

  /** The connections' copies of a channel may be wrong. */
  markStale(namesFor: (connection: Subscriber) => readonly string[]): void {
    for (const connection of this.connections) {
      for (const name of namesFor(connection)) connection.markStale(name);
    }
  }

  /** For this client only; undefined when some are gone. */
  after(serverSeq: number): readonly Envelope[] | undefined {
    return this.#own.after(serverSeq);
  }

  noteSnapshot(uri: string, fromSeq: number): void {
    this.#snapshots.set(uri, fromSeq);
  }

  forgetSnapshot(uri: string): void {
    this.#snapshots.delete(uri);
  }

  /** Whether a snapshot may contain more than everything up to a number: many clients only count actions. */
  hasNewerSnapshot(uri: string, serverSeq: number): boolean {
    return serverSeq < (this.#snapshots.get(uri) ?? 0);
  }
}

export interface ClientsDeps {
  readonly numbers: ServerSeq;
  readonly limits: Pick<ChannelLimits, "clientMs" | "clients" | "ownHistoryBytes">;
  readonly handleProblem: (error: unknown) => void;
  /** Monotonic. */
  readonly now?: (() => number) | undefined;
}

export interface ClientConnection extends Disposable {
  readonly record: ClientRecord;
}

/** Connected clients, and for a while those that left. */
export class Clients {
  readonly #deps: ClientsDeps;
  readonly #records = new Map<ClientId, ClientRecord>();
  /** When the last connection ended; oldest first. */
  readonly #leftAt = new Map<ClientId, number>();

  constructor(deps: ClientsDeps) {
    this.#deps = deps;
  }

  /** Undefined when unknown or forgotten. */
  find(clientId: ClientId): ClientRecord | undefined {
    this.#forget();
    return this.#records.get(clientId);
  }

  isKnown(clientId: ClientId): boolean {
    return this.find(clientId) !== undefined;
  }

  /** Clients of another caller speak for this session, so nobody else can. */
  isSessionOfOther(session: string, callerId: CallerId): boolean {
    this.#forget();
    for (const record of this.#records.values()) {
      if (record.callerId !== callerId && record.sessions.has(session)) return true;
    }
    return false;
  }

  /** What is for its client only is offered to it from here on. */
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

  /** Forgets clients that left too long ago; of too many, those that left first. */
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
