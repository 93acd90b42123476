import type { Claim } from "@nacre/contracts";

export interface Holder {
  readonly kind: "you" | "person" | "agent" | "host";
  readonly name: string;
  readonly details: string;
}

/** What the host calls itself in the claims of terminals whose client is gone. */
const HOST_NAME = "host";

/** Who holds a claim, in words; `isMine` tells whether that is whoever reads them. */
export function describeHolder(claim: Claim, isMine?: (claim: Claim) => boolean): Holder {
  if (claim.kind === "session") {
    const place = [claim.session, claim.chat, claim.turnId, claim.toolCallId].filter(
      (one) => one !== undefined,
    );
    return { kind: "agent", name: claim.session, details: place.join(" › ") };
  }
  const { clientId } = claim;
  if (isMine?.(claim)) return { kind: "you", name: "You", details: `${clientId} (this tab)` };
  if (clientId === HOST_NAME) return { kind: "host", name: "Nobody", details: "kept by the host" };
  return { kind: "person", name: clientId, details: clientId };
}
