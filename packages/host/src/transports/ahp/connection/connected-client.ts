import { type Caller, Claim, type ClientId, parse } from "@nacre/contracts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { ClientConnection, ClientRecord } from "../channels/clients.ts";
import type { Audience } from "../channels/envelope.ts";
import type { ClientNames } from "../protocol/client-names.ts";
import type { TerminalClaim } from "../protocol/state.ts";
import type { HandshakeDeps } from "./handshake.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** Of more, the oldest is forgotten. */
const MAX_SESSIONS = 256;

/** Who asks: the client, or a session that it speaks for, where the terminal is or shall be that session's. */
export function resolveSpeaker({
  caller,
  sessions,
  present,
  wanted,
}: {
  readonly caller: Caller;
  readonly sessions: ReadonlySet<string>;
  readonly present: Claim | undefined;
  /** Who shall hold it, where that is what the client wants. */
  readonly wanted?: Claim | undefined;
}): Caller {
  if (caller.session !== undefined) return caller;
  const named = [present, wanted].flatMap((claim) =>
    claim?.kind === "session" ? [claim.session] : [],
  );
  const session = named.find((name) => sessions.has(name));
  return session === undefined ? caller : { ...caller, session };
}

export function rememberSession(claim: Claim, sessions: Set<string>): void {
  if (claim.kind !== "session") return;
  sessions.delete(claim.session);
  sessions.add(claim.session);
  const [first] = sessions;
  if (sessions.size > MAX_SESSIONS && first !== undefined) sessions.delete(first);
}

export interface ConnectedClientDeps extends Omit<HandshakeDeps, "handleConnected"> {
  /** Who asks; its signal fires when the connection is gone. */
  readonly context: CallContext;
  readonly names: ClientNames;
  readonly subscriptions: Subscriptions;
  readonly connection: ClientConnection;
}

/** From handshake to the end of its connection. */
export class ConnectedClient implements Disposable {
  readonly parts: ConnectedClientDeps;

  constructor(deps: ConnectedClientDeps) {
    this.parts = deps;
    deps.operations.clientBack(deps.context.caller);
  }

  get clientId(): ClientId {
    return this.parts.subscriptions.clientId;
  }

  get audience(): Audience {
    return this.parts.subscriptions.audience;
  }

  /** Kept between its connections. */
  get record(): ClientRecord {
    return this.parts.connection.record;
  }

  /** For work that continues although the client may be gone. */
  get untilDone(): CallContext {
    return { ...this.parts.context, signal: undefined };
  }

  /** Unless clients of another credential speak for it. */
  speakFor(claim: Claim): void {
    const { agentHost, context } = this.parts;
    const isOthers =
      claim.kind === "session" &&
      agentHost.clients.isSessionOfOther(claim.session, context.caller.id);
    if (!isOthers) rememberSession(claim, this.record.sessions);
  }

  unsubscribe(uri: string): void {
    this.parts.subscriptions.unfollow(uri);
    this.record.forgetSnapshot(uri);
  }

  /** A client with less than this number cannot continue from there. */
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

/** With the host's names; throws -32602. */
export function decodeClaim(client: ConnectedClient, claim: TerminalClaim, present?: Claim): Claim {
  const { names, agentHost } = client.parts;
  if (claim.kind === "client") {
    const clientId = names.toCore(claim.clientId, (known) => agentHost.clients.isKnown(known));
    return { kind: "client", clientId };
  }
  const { chat: _, ...rest } = claim;
  const chat = decodeChat(client, claim, present);
  return parse(Claim, chat === undefined ? rest : { ...rest, chat }, "claim");
}

type WireSessionClaim = Extract<TerminalClaim, { kind: "session" }>;

/** Without a chat the session stands for it; versions without chats leave it as it is. */
function decodeChat(
  { audience }: ConnectedClient,
  { session, chat }: WireSessionClaim,
  present: Claim | undefined,
): string | undefined {
  if (audience.shape === "lifecycle") return chat === session ? undefined : chat;
  const isSame = present?.kind === "session" && present.session === session;
  return isSame ? present.chat : chat;
}
