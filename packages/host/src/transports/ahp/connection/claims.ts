import { Claim, parse } from "@nacre/contracts";
import type { TerminalClaim } from "../protocol/state.ts";
import type { ConnectedClient } from "./connected-client.ts";

/** The claim that a client means, as the host names everybody; throws -32602 where it makes none. */
export function decodeClaim(client: ConnectedClient, claim: TerminalClaim, present?: Claim): Claim {
  const { names, agentHost } = client.parts;
  if (claim.kind === "client") {
    const clientId = names.toCore(claim.clientId, (known) => agentHost.clients.isKnown(known));
    return { kind: "client", clientId };
  }
  const { chat: _, ...rest } = claim;
  const chat = decodeChat(client, claim, present);
  return parse(Claim, { ...rest, ...(chat === undefined ? {} : { chat }) }, "claim");
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
