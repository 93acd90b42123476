import { type Caller, CallerId, type Claim, ClientId, type Scope } from "@nacre/contracts";

/** A person at a client. */
export const person = (name: string, scope: Scope = "operator"): Caller => ({
  id: CallerId.parse(name),
  scope,
  clientId: ClientId.parse(name),
});

/** An agent that acts for a session. */
export const agent = (session: string): Caller => ({
  id: CallerId.parse(`agent-${session}`),
  scope: "agent",
  session,
});

/** The claim of a client. */
export const clientClaim = (name: string): Claim => ({
  kind: "client",
  clientId: ClientId.parse(name),
});
