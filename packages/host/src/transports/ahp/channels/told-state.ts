import type { Claim } from "@nacre/contracts";
import type { TerminalFacts } from "../../../operations/terminal-listing.ts";
import type { TerminalAction } from "../protocol/action.ts";
import { reduceTerminal } from "../protocol/reducer.ts";
import type {
  TerminalClaim,
  TerminalInfo,
  TerminalLifecycle,
  TerminalState,
} from "../protocol/state.ts";
import { cwdToUri, uriOf } from "../protocol/uri.ts";

/** A terminal as one line of the list, in the newest shape. */
export const encodeTerminalInfo = (facts: TerminalFacts): TerminalInfo => ({
  resource: uriOf(facts),
  title: facts.title,
  claim: encodeClaim(facts.claim),
  lifecycle: encodeLifecycle(facts),
  ...metaOf(facts),
});

/** What the protocol has no word for: that a terminal cannot be recorded, and what people are asked about it. */
function metaOf(facts: TerminalFacts): Pick<TerminalInfo, "_meta"> {
  const { recordingBlocked, inputRequests = [], lapsedRequests = [] } = facts;
  const told = {
    ...(recordingBlocked ? { recordingBlocked } : {}),
    ...(inputRequests.length > 0 ? { inputRequests } : {}),
    ...(lapsedRequests.length > 0 ? { lapsedRequests } : {}),
  };
  return Object.keys(told).length > 0 ? { _meta: { "dev.nacre": told } } : {};
}

/** What facts say of a terminal, in the newest shape and without its content. */
export function encodeTerminalState(facts: TerminalFacts): TerminalState {
  const { title, cwd, size, claim, detectsCommands, isPty } = facts;
  return {
    title,
    ...(cwd === undefined ? {} : { cwd: cwdToUri(cwd) }),
    ...(size === undefined ? {} : { cols: size.cols, rows: size.rows }),
    content: [],
    lifecycle: encodeLifecycle(facts),
    claim: encodeClaim(claim),
    ...(detectsCommands ? { supportsCommandDetection: true } : {}),
    isPty,
  };
}

/** Everything of a terminal but its content, after an action was told. */
export function reducePublishedState(state: TerminalState, action: TerminalAction): TerminalState {
  switch (action.type) {
    case "terminal/data":
    case "terminal/input":
    case "terminal/cleared":
    case "terminal/commandFinished":
      return state;
    case "terminal/commandExecuted":
    case "terminal/commandDetectionAvailable":
      return { ...state, supportsCommandDetection: true };
    case "terminal/resized":
    case "terminal/claimed":
    case "terminal/titleChanged":
    case "terminal/cwdChanged":
    case "terminal/exited":
      return reduceTerminal(state, action, "lifecycle");
  }
}

/** The action that tells the true value of what an action of this type would change; nothing where none can. */
export function correctiveAction(state: TerminalState, type: string): TerminalAction | undefined {
  const { title, cwd, cols, rows, claim } = state;
  switch (type) {
    case "terminal/titleChanged":
      return { type, title };
    case "terminal/claimed":
      return { type, claim };
    case "terminal/cwdChanged":
      return cwd === undefined ? undefined : { type, cwd };
    case "terminal/resized":
      return cols === undefined || rows === undefined ? undefined : { type, cols, rows };
    default:
      return undefined;
  }
}

/** Whether an action changes what is shown, for which there is no single action that tells the truth. */
export const changesContent = ({ type }: { readonly type: string }): boolean =>
  type === "terminal/data" ||
  type === "terminal/cleared" ||
  type === "terminal/commandExecuted" ||
  type === "terminal/commandFinished";

/** The actions after which a state says what another does, but for the content. */
export function diffStates(told: TerminalState, truth: TerminalState): TerminalAction[] {
  const actions = [
    "terminal/titleChanged",
    "terminal/claimed",
    "terminal/cwdChanged",
    "terminal/resized",
  ].flatMap((type) => {
    const [before, now] = [correctiveAction(told, type), correctiveAction(truth, type)];
    return now && JSON.stringify(before) !== JSON.stringify(now) ? [now] : [];
  });
  if (truth.supportsCommandDetection && !told.supportsCommandDetection) {
    actions.push({ type: "terminal/commandDetectionAvailable" });
  }
  if (truth.lifecycle.status === "exited" && told.lifecycle.status === "running") {
    actions.push(exitedAction(truth.lifecycle.exitCode ?? null));
  }
  return actions;
}

/** That the program ended, with its exit code where it is known. */
export const exitedAction = (exitCode: number | null): TerminalAction => ({
  type: "terminal/exited",
  ...(exitCode === null ? {} : { exitCode }),
});

/** A claim without fields that say nothing. */
export function encodeClaim(claim: Claim): TerminalClaim {
  if (claim.kind === "client") return { kind: "client", clientId: claim.clientId };
  const { session, chat, turnId, toolCallId } = claim;
  return {
    kind: "session",
    session,
    ...(chat === undefined ? {} : { chat }),
    ...(turnId === undefined ? {} : { turnId }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}

function encodeLifecycle({ state, exit }: TerminalFacts): TerminalLifecycle {
  if (exit === undefined && state !== "exited" && state !== "lost") return { status: "running" };
  const exitCode = exit?.exitCode ?? undefined;
  return { status: "exited", ...(exitCode === undefined ? {} : { exitCode }) };
}
