import { type Caller, Claim, type ClientId, parse } from "@nacre/contracts";
import type { CallContext } from "../../../operations/call-context.ts";
import type { ClientConnection, ClientRecord } from "../channels/clients.ts";
import type { Audience } from "../channels/envelope.ts";
import type { ClientNames } from "../protocol/client-names.ts";
import type { TerminalClaim } from "../protocol/state.ts";
import type { HandshakeDeps } from "./handshake.ts";
import type { Subscriptions } from "./subscriptions.ts";

/** Sessions that one client speaks for; of more, the one it began with first is forgotten. */
const MAX_SESSIONS = 256;

/** Who asks: the client, or a session that it speaks for, where the terminal is or shall be that session's. */
export function resolveSpeaker({
  caller,
  sessions,
  present,
  wanted,
}: {
  readonly caller: Caller;
  /** The sessions that the client speaks for. */
  readonly sessions: ReadonlySet<string>;
  /** Who holds the terminal now. */
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

/** From now on the client speaks for the session of a claim. */
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
  /** Its place among the clients of the host. */
  readonly connection: ClientConnection;
}

/** A client whose handshake is done, until its connection ends. */
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

/** The claim that a client means, as the host names everybody; throws -32602 where it makes none. */
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

/** Where there is no chat the session stands for it; versions without chats leave it as it is. */
function decodeChat(
  { audience }: ConnectedClient,
  { session, chat }: WireSessionClaim,
  present: Claim | undefined,
): string | undefined {
  if (audience.shape === "lifecycle") return chat === session ? undefined : chat;
  const isSame = present?.kind === "session" && present.session === session;
  return isSame ? present.chat : chat;
}
