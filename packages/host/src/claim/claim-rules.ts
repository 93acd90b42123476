import {
  type Caller,
  type CallerId,
  type Claim,
  type ClaimReason,
  type ClaimState,
  ClientId,
  NacreError,
} from "@nacre/contracts";

/** Holds a claim that nobody else can; no client may use this id. */
const HOST_CLIENT_ID = ClientId.parse("host");

export const HOST_CLAIM: Claim = { kind: "client", clientId: HOST_CLIENT_ID };

/** The new state and its reason. */
export interface ClaimChange {
  readonly state: ClaimState;
  readonly reason: ClaimReason;
  /** Absent: the host itself. */
  readonly by?: CallerId;
  readonly note?: string;
}

/** Whether a claim names this caller: its id, its client or its session. */
export function isHolder(claim: Claim, caller: Caller): boolean {
  switch (claim.kind) {
    case "client": {
      // Any client could call itself `host`; only operators, who may take over anyway, are believed.
      if (claim.clientId === HOST_CLIENT_ID && caller.scope !== "operator") return false;
      const name: string = claim.clientId;
      return name === caller.clientId || name === caller.id;
    }
    case "session":
      return claim.session === caller.session;
  }
}

/** Field by field. */
export function isSameClaim(one: Claim, other: Claim): boolean {
  if (one.kind === "client" || other.kind === "client") {
    return one.kind === "client" && other.kind === "client" && one.clientId === other.clientId;
  }
  return isSameSession(one, other) && SESSION_FIELDS.every((place) => one[place] === other[place]);
}

type SessionClaim = Extract<Claim, { kind: "session" }>;

const SESSION_FIELDS = ["chat", "turnId", "toolCallId"] as const;

const isSameSession = (one: SessionClaim, other: SessionClaim): boolean =>
  one.session === other.session;

/** Whether the change only removes the chat, turn or tool call from a session's claim. */
export function narrows(current: Claim, wanted: Claim): boolean {
  if (current.kind !== "session" || wanted.kind !== "session") return false;
  return (
    isSameSession(current, wanted) &&
    SESSION_FIELDS.every(
      (place) => wanted[place] === undefined || wanted[place] === current[place],
    ) &&
    SESSION_FIELDS.some((place) => wanted[place] !== current[place])
  );
}

/** The claim of a session that works in the background. */
export const backgroundOf = ({ session, chat }: SessionClaim): Claim => ({
  kind: "session",
  session,
  ...(chat === undefined ? {} : { chat }),
});

/** The claim that a caller gets for itself. */
export function claimOf(caller: Caller): Claim {
  if (caller.session !== undefined) return { kind: "session", session: caller.session };
  const name: string = caller.clientId ?? caller.id;
  // Every caller id is a valid client id: fewer characters allowed, and no longer.
  return { kind: "client", clientId: name as ClientId };
}

export interface ClaimMove {
  readonly current: ClaimState;
  readonly wanted: Claim;
  readonly by: Caller;
  readonly now: number;
  /** The client for which the host keeps the claim. */
  readonly keptFor?: Claim | undefined;
  /**
   * Whether an operator may take it from its holder; default true. A claim that the host keeps may be taken in any
   * case.
   */
  readonly takeover?: boolean | undefined;
}

/** The change, or undefined when the claim is the same; throws `claim_held` or `forbidden`. */
export function moveClaim({
  current,
  wanted,
  by,
  now,
  keptFor,
  takeover = true,
}: ClaimMove): ClaimChange | undefined {
  requireWriteScope(by, "claim a terminal");
  if (isSameClaim(current.claim, wanted)) return undefined;
  const mayTake = takeover || isSameClaim(current.claim, HOST_CLAIM);
  const reason = reasonToMove({ claim: current.claim, wanted, by, keptFor, mayTake });
  if (reason === undefined) throw claimHeldError(current.claim, suggestNextStep(by, wanted));
  return { state: nextClaim(current, wanted, now), reason, by: by.id };
}

interface MoveQuestion {
  readonly claim: Claim;
  readonly wanted: Claim;
  readonly by: Caller;
  readonly keptFor: Claim | undefined;
  readonly mayTake: boolean;
}

function reasonToMove({
  claim,
  wanted,
  by,
  keptFor,
  mayTake,
}: MoveQuestion): ClaimReason | undefined {
  const mayDetach = isHolder(claim, by) || by.scope === "operator" || by.mayManage === true;
  if (mayDetach && narrows(claim, wanted)) return "detach";
  if (isHolder(claim, by)) return isInside(claim, wanted) ? "reclaim" : "handover";
  if (!isHolder(wanted, by)) return undefined;
  if (keptFor !== undefined && isHolder(keptFor, by)) return "reclaim";
  return by.scope === "operator" && mayTake ? "takeover" : undefined;
}

const isInside = (claim: Claim, wanted: Claim): boolean =>
  claim.kind === "session" && wanted.kind === "session" && isSameSession(claim, wanted);

function suggestNextStep(by: Caller, wanted: Claim): string {
  const isForOther = by.scope === "operator" && !isHolder(wanted, by);
  return isForOther
    ? "take over for yourself first, then hand it on"
    : "ask for control with `requestControl`";
}

export const nextClaim = (current: ClaimState, claim: Claim, now: number): ClaimState => ({
  claim,
  epoch: current.epoch + 1,
  since: new Date(now).toISOString(),
});

export function firstClaim(claim: Claim, now: number, by?: CallerId): ClaimChange {
  const state = { claim, epoch: 1, since: new Date(now).toISOString() };
  return { state, reason: "created", ...(by === undefined ? {} : { by }) };
}

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

/** Names the holder and the caller's next step. */
export function claimHeldError(claim: Claim, nextStep: string): NacreError {
  return new NacreError("claim_held", `${describeClaim(claim)} holds this terminal; ${nextStep}`, {
    suggestion: `${nextStep.charAt(0).toUpperCase()}${nextStep.slice(1)}.`,
    details: { claim },
  });
}

/** Refuses read-only callers; `wanted` says what they tried. */
export function requireWriteScope(by: Caller, wanted: string): void {
  if (by.scope !== "readOnly") return;
  throw new NacreError("forbidden", `caller ${by.id} may only look, not ${wanted}`, {
    suggestion: "Use a credential with the scope `operator` or `agent`.",
  });
}
