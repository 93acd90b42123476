import type { CallerId, ClientId } from "@nacre/contracts";
import type { NegotiatedVersion } from "../protocol/version.ts";
import type { Subscriber } from "./channel.ts";
import { ClientRecord } from "./client-record.ts";
import type { ChannelLimits } from "./limits.ts";
import type { ServerSeq } from "./numbers.ts";

/** What the clients of a host are kept with. */
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

  constructor(parts: ClientsDeps) {
    this.#deps = parts;
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
    record.add(connection);
    this.#leftAt.delete(clientId);
    return {
      record,
      [Symbol.dispose]: () => {
        record.remove(connection);
        if (record.connections > 0 || this.#leftAt.has(clientId)) return;
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
