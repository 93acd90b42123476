import type { Claim } from "@nacre/contracts";
import type { LiveState } from "../state/live-state.ts";

export interface Holder {
  readonly kind: "you" | "person" | "agent" | "host";
  readonly name: string;
  readonly details: string;
}

export function readHolder(claim: Claim, live: LiveState): Holder {
  if (claim.kind === "session") {
    const place = [claim.session, claim.chat, claim.turnId, claim.toolCallId].filter(
      (one) => one !== undefined,
    );
    return { kind: "agent", name: claim.session, details: place.join(" › ") };
  }
  const { clientId } = claim;
  if (live.isMine(claim)) return { kind: "you", name: "You", details: `${clientId} (this tab)` };
  if (clientId === HOST_NAME) return { kind: "host", name: "Nobody", details: "kept by the host" };
  return { kind: "person", name: clientId, details: clientId };
}

/** The host's name in claims of absent clients. */
const HOST_NAME = "host";
