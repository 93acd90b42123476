import {
  type Caller,
  type Claim,
  type ClaimState,
  type InputPolicy,
  NacreError,
} from "@nacre/contracts";
import {
  claimHeldError,
  HOST_CLAIM,
  isHolder,
  isSameClaim,
  requireWriteScope,
} from "./claim-rules.ts";

export type TerminalPermission =
  | "observe"
  | "input"
  | "resize"
  | "clear"
  | "rename"
  | "claim"
  | "requestControl"
  | "signal"
  | "kill"
  | "dispose";

/** `creator`: the agent for which the terminal was created. */
type Standing = "holder" | "operator" | "creator" | "agent" | "readOnly";

/** `mayResize` decides about resizing. */
type FixedAction = Exclude<TerminalPermission, "resize">;

const LOOK: readonly FixedAction[] = ["observe"];
const ASK: readonly FixedAction[] = [...LOOK, "requestControl"];
const TYPE: readonly FixedAction[] = ["input", "clear", "rename", "signal"];
const COMMAND: readonly FixedAction[] = ["claim", "kill", "dispose"];
const ALL: readonly FixedAction[] = [...ASK, ...TYPE, ...COMMAND];

const ALLOWED: Readonly<Record<InputPolicy, Readonly<Record<Standing, readonly FixedAction[]>>>> = {
  open: {
    holder: ALL,
    operator: ALL,
    creator: [...ASK, ...TYPE],
    agent: ASK,
    readOnly: LOOK,
  },
  holder: {
    holder: ALL,
    // A person can always take over and always end what runs; typing requires taking over.
    operator: [...ASK, ...COMMAND],
    creator: ASK,
    agent: ASK,
    readOnly: LOOK,
  },
};

export interface PolicyQuestion {
  readonly by: Caller;
  readonly claim: Claim;
  /** The claim at creation: an agent keeps using its own terminals while others hold them. */
  readonly first: Claim;
  readonly policy: InputPolicy;
}

function standingOf({ by, claim, first }: PolicyQuestion): Standing {
  if (by.scope === "readOnly") return "readOnly";
  if (isHolder(claim, by)) return "holder";
  if (by.scope === "operator") return "operator";
  return isHolder(first, by) ? "creator" : "agent";
}

export function isAllowed(action: TerminalPermission, question: PolicyQuestion): boolean {
  if (action === "resize") return mayResize(question);
  return ALLOWED[question.policy][standingOf(question)].includes(action);
}

/** Throws `forbidden` or `claim_held`, with what the caller can do instead. */
export function requireAllowed(action: TerminalPermission, question: PolicyQuestion): void {
  if (isAllowed(action, question)) return;
  const { by, claim } = question;
  requireWriteScope(by, ACTION_PHRASES[action]);
  const step = by.scope === "operator" ? "take over" : "ask for control with `requestControl`";
  throw claimHeldError(claim, `${step} to ${ACTION_PHRASES[action]}`);
}

const ACTION_PHRASES: Readonly<Record<TerminalPermission, string>> = {
  observe: "observe it",
  input: "type into it",
  resize: "resize it",
  clear: "clear it",
  rename: "rename it",
  claim: "claim it",
  requestControl: "ask for control",
  signal: "signal its program",
  kill: "kill its program",
  dispose: "dispose of it",
};

/**
 * Only the holder's size counts; if the holder has no screen, that of everybody who may type. Others are told the real
 * size.
 */
export function mayResize(question: PolicyQuestion): boolean {
  const { by, claim } = question;
  if (by.scope === "readOnly") return false;
  if (isHolder(claim, by)) return true;
  const hasScreen = claim.kind === "client" && !isSameClaim(claim, HOST_CLAIM);
  return !hasScreen && isAllowed("input", question);
}

/** Throws `conflict` for an outdated epoch. */
export function requireEpoch({ epoch }: ClaimState, believed: number | undefined): void {
  if (believed === undefined || believed >= epoch) return;
  throw new NacreError("conflict", `the claim has epoch ${epoch} now, not ${believed}`, {
    field: "epoch",
    suggestion: "Read the terminal to see who drives it, and decide again.",
  });
}
