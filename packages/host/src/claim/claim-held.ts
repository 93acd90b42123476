import { type Caller, type Claim, NacreError } from "@nacre/contracts";
import { HOST_CLIENT_ID } from "./host-claim.ts";

/** Who holds a terminal, in words. */
function describeClaim(claim: Claim): string {
  switch (claim.kind) {
    case "client":
      return claim.clientId === HOST_CLIENT_ID ? "the host" : `client ${claim.clientId}`;
    case "session": {
      const turn = claim.turnId === undefined ? "" : `, turn ${claim.turnId}`;
      const toolCall = claim.toolCallId === undefined ? "" : `, tool call ${claim.toolCallId}`;
      return `session ${claim.session}${turn}${toolCall}`;
    }
  }
}

/** The refusal that names the holder and what its caller can do next. */
export function claimHeldError(claim: Claim, nextStep: string): NacreError {
  return new NacreError("claim_held", `${describeClaim(claim)} holds this terminal; ${nextStep}`, {
    suggestion: `${nextStep.charAt(0).toUpperCase()}${nextStep.slice(1)}.`,
    details: { claim },
  });
}

/** Refuses callers that may only look; the words say what they wanted. */
export function requireWriteScope(by: Caller, wanted: string): void {
  if (by.scope !== "readOnly") return;
  throw new NacreError("forbidden", `caller ${by.id} may only look, not ${wanted}`, {
    suggestion: "Use a credential with the scope `operator` or `agent`.",
  });
}
