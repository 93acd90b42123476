import type { Claim } from "@nacre/contracts";
import type { TerminalFacts } from "../../../operations/terminal-listing.ts";
import type { TerminalAction } from "../protocol/action.ts";
import { reduceTerminal } from "../protocol/reducer.ts";
import type {
  TerminalClaim,
  TerminalContentPart,
  TerminalInfo,
  TerminalLifecycle,
  TerminalState,
} from "../protocol/state.ts";
import { cwdToUri, uriOf } from "../protocol/uri.ts";
import type { SourceEntry } from "./terminal-source.ts";

/** Fields that an action can set to any value. */
const RESYNC_FIELDS = [
  "terminal/resized",
  "terminal/claimed",
  "terminal/titleChanged",
  "terminal/cwdChanged",
] as const;

/** Actions that restore the whole state for a client that missed some. */
export function resyncActions(state: TerminalState): readonly TerminalAction[] {
  const fields = RESYNC_FIELDS.flatMap((type) => correctiveAction(state, type) ?? []);
  const { lifecycle, supportsCommandDetection } = state;
  return [
    { type: "terminal/cleared" },
    ...(supportsCommandDetection ? [{ type: "terminal/commandDetectionAvailable" } as const] : []),
    ...state.content.flatMap(replayPart),
    ...fields,
    ...(lifecycle.status === "exited" ? [exitedAction(lifecycle.exitCode ?? null)] : []),
  ];
}

function replayPart(part: TerminalContentPart): readonly TerminalAction[] {
  if (part.type === "unclassified") return replayData(part.value);
  const { commandId, commandLine, timestamp, output, isComplete, exitCode, durationMs } = part;
  const begun = { type: "terminal/commandExecuted", commandId, commandLine, timestamp } as const;
  const ended: TerminalAction = {
    type: "terminal/commandFinished",
    commandId,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
  return [begun, ...replayData(output), ...(isComplete ? [ended] : [])];
}

const replayData = (data: string): readonly TerminalAction[] =>
  data === "" ? [] : [{ type: "terminal/data", data }];

/** Actions for entries other than output, in order. */
export class EntryEncoder {
  readonly #untitled: string;
  /** A command that is not announced, because its bounds are estimated. */
  #guessed: string | undefined;

  /** @param untitled Title when nobody set one. */
  constructor(untitled: string) {
    this.#untitled = untitled;
  }

  /** Undefined for most entries. */
  encode(entry: SourceEntry): TerminalAction | undefined {
    if (entry.type === "command") {
      this.#guessed = entry.quality === "estimated" ? entry.commandId : undefined;
    }
    const isGuessed = "commandId" in entry && entry.commandId === this.#guessed;
    return isGuessed ? undefined : encodeEntry(entry, this.#untitled);
  }
}

function encodeEntry(entry: SourceEntry, untitled: string): TerminalAction | undefined {
  switch (entry.type) {
    case "resize":
      return { type: "terminal/resized", cols: entry.cols, rows: entry.rows };
    case "claim":
      return { type: "terminal/claimed", claim: encodeClaim(entry.claim) };
    case "title":
      return { type: "terminal/titleChanged", title: entry.title || untitled };
    case "cwd":
      return { type: "terminal/cwdChanged", cwd: cwdToUri(entry.cwd) };
    case "exit":
      return exitedAction(entry.exitCode);
    case "clear":
      return { type: "terminal/cleared" };
    case "command":
      return {
        type: "terminal/commandExecuted",
        commandId: entry.commandId,
        commandLine: entry.commandLine,
        timestamp: Date.parse(entry.occurredAt),
      };
    case "commandEnd":
      return {
        type: "terminal/commandFinished",
        commandId: entry.commandId,
        ...(entry.exitCode === undefined ? {} : { exitCode: entry.exitCode }),
        ...(entry.durationMs === undefined ? {} : { durationMs: entry.durationMs }),
      };
    case "header":
    case "input":
    case "output":
    case "marker":
    case "gap":
      return undefined;
  }
}

/** Each output is decoded by itself, because each is displayed by itself. */
export const decodeOutput = (view: Uint8Array): string =>
  Buffer.from(view.buffer, view.byteOffset, view.byteLength).toString();

/** In the newest shape. */
export const encodeTerminalInfo = (facts: TerminalFacts): TerminalInfo => ({
  resource: uriOf(facts),
  title: facts.title,
  claim: encodeClaim(facts.claim),
  lifecycle: encodeLifecycle(facts),
  ...metaOf(facts),
});

/** What the protocol has no fields for: blocked recording, and input requests. */
function metaOf(facts: TerminalFacts): Pick<TerminalInfo, "_meta"> {
  const { recordingBlocked, inputRequests = [], lapsedRequests = [] } = facts;
  const told = {
    ...(recordingBlocked ? { recordingBlocked } : {}),
    ...(inputRequests.length > 0 ? { inputRequests } : {}),
    ...(lapsedRequests.length > 0 ? { lapsedRequests } : {}),
  };
  return Object.keys(told).length > 0 ? { _meta: { "dev.nacre": told } } : {};
}

/** In the newest shape, without content. */
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

/** Everything but the content. */
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

/** Publishes the true value of what such an action would change; undefined where no action can. */
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

/** No single action restores content. */
export const changesContent = ({ type }: { readonly type: string }): boolean =>
  type === "terminal/data" ||
  type === "terminal/cleared" ||
  type === "terminal/commandExecuted" ||
  type === "terminal/commandFinished";

/** Actions that lead from one state to the other, except content. */
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

/** With its exit code where known. */
export const exitedAction = (exitCode: number | null): TerminalAction => ({
  type: "terminal/exited",
  ...(exitCode === null ? {} : { exitCode }),
});

/** Without empty fields. */
function encodeClaim(claim: Claim): TerminalClaim {
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
