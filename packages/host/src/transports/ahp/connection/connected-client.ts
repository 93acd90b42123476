import type { Claim, ClientId } from "@nacre/contracts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { Operations } from "../../../operations/dispatch.ts";
import type { AgentHost } from "../channels/agent-host.ts";
import type { ClientRecord } from "../channels/client-record.ts";
import type { ClientConnection } from "../channels/clients.ts";
import type { Audience } from "../channels/envelope.ts";
import type { ClientNames } from "../protocol/names.ts";
import type { ConnectionLimits } from "./limits.ts";
import type { Outbox } from "./outbox.ts";
import { rememberSession } from "./speaking.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** What a connected client is served with. */
export interface ConnectedClientDeps {
  readonly agentHost: AgentHost;
  readonly operations: Operations;
  /** Who asks; its signal fires when the connection is gone. */
  readonly context: CallContext;
  readonly names: ClientNames;
  readonly outbox: Outbox;
  readonly subscriptions: Subscriptions;
  /** Its place among the clients of the host. */
  readonly connection: ClientConnection;
  readonly limits: ConnectionLimits;
  /** Something failed that the client cannot be told in full. */
  readonly handleProblem: (error: unknown) => void;
}

/** A client whose handshake is done, until its connection ends. */
export class ConnectedClient implements Disposable {
  readonly parts: ConnectedClientDeps;

  constructor(parts: ConnectedClientDeps) {
    this.parts = parts;
    parts.operations.clientBack(parts.context.caller);
  }

  get clientId(): ClientId {
    return this.parts.subscriptions.clientId;
  }

  get audience(): Audience {
    return this.parts.subscriptions.audience;
  }

  /** What is remembered of the client between its connections. */
  get record(): ClientRecord {
    return this.parts.connection.record;
  }

  /** The context of what goes on to its end although the client may be gone by then. */
  get untilDone(): CallContext {
    return { ...this.parts.context, signal: undefined };
  }

  /** From now on it speaks for the session of a claim, unless clients of another credential do. */
  speakFor(claim: Claim): void {
    const { agentHost, context } = this.parts;
    const isOthers =
      claim.kind === "session" &&
      agentHost.clients.isSessionOfOther(claim.session, context.caller.id);
    if (!isOthers) rememberSession(claim, this.record.sessions);
  }

  /** It follows a channel no longer. */
  unsubscribe(uri: string): void {
    this.parts.subscriptions.unfollow(uri);
    this.record.forgetSnapshot(uri);
  }

  /** Who has less than this number cannot go on from there. */
  noteResync(serverSeq: number): void {
    this.record.resyncedTo = Math.max(this.record.resyncedTo, serverSeq);
  }

  [Symbol.dispose](): void {
    const { subscriptions, connection, operations, context } = this.parts;
    subscriptions[Symbol.dispose]();
    connection[Symbol.dispose]();
    operations.clientGone(context.caller);
  }
}
