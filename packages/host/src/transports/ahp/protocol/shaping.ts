// Translates the newest shape into that of older versions.
import type { Action, TerminalAction } from "./action.ts";
import type {
  RootState,
  TerminalClaim,
  TerminalInfo,
  TerminalLifecycle,
  TerminalState,
} from "./state.ts";
import type { StateDialect } from "./version.ts";

export interface WireNames {
  toWire(clientId: string): string;
}

interface ShapedEnding {
  readonly lifecycle?: TerminalLifecycle;
  readonly exitCode?: number;
}

export type ShapedInfo = Omit<TerminalInfo, "lifecycle"> & ShapedEnding;

export type ShapedState = Omit<TerminalState, "lifecycle"> & ShapedEnding;

export type ShapedRoot = Omit<RootState, "terminals"> & {
  readonly terminals?: readonly ShapedInfo[];
};

export type ShapedAction =
  | TerminalAction
  | Exclude<Action, { type: "root/terminalsChanged" }>
  | { readonly type: "root/terminalsChanged"; readonly terminals: readonly ShapedInfo[] };

export function shapeState(
  state: TerminalState,
  shape: StateDialect,
  names: WireNames,
): ShapedState {
  const { title, cwd, cols, rows, content, supportsCommandDetection, isPty } = state;
  return {
    title,
    ...(cwd === undefined ? {} : { cwd }),
    ...(cols === undefined ? {} : { cols }),
    ...(rows === undefined ? {} : { rows }),
    content,
    ...shapeEnding(state.lifecycle, shape),
    claim: shapeClaim(state.claim, shape, names),
    ...(supportsCommandDetection === undefined ? {} : { supportsCommandDetection }),
    ...(isPty === undefined || shape === "exitCode" ? {} : { isPty }),
  };
}

export function shapeInfo(info: TerminalInfo, shape: StateDialect, names: WireNames): ShapedInfo {
  const { resource, title, claim, lifecycle, _meta } = info;
  return {
    resource,
    title,
    claim: shapeClaim(claim, shape, names),
    ...shapeEnding(lifecycle, shape),
    ...(_meta === undefined || shape === "exitCode" ? {} : { _meta }),
  };
}

/** `_meta` only where every version of the shape knows it. */
export function shapeRoot(state: RootState, shape: StateDialect, names: WireNames): ShapedRoot {
  const { agents, activeSessions, terminals, _meta } = state;
  return {
    agents,
    ...(activeSessions === undefined ? {} : { activeSessions }),
    ...(terminals === undefined
      ? {}
      : { terminals: terminals.map((info) => shapeInfo(info, shape, names)) }),
    ...(_meta === undefined || shape === "exitCode" ? {} : { _meta }),
  };
}

/** The same object where all shapes agree. */
export function shapeAction(action: Action, shape: StateDialect, names: WireNames): ShapedAction {
  if (action.type === "terminal/claimed") {
    return { type: action.type, claim: shapeClaim(action.claim, shape, names) };
  }
  if (action.type === "root/terminalsChanged") {
    const terminals = action.terminals.map((info) => shapeInfo(info, shape, names));
    return { type: action.type, terminals };
  }
  return action;
}

/** Since 0.9 a session claim always names a chat, before it never does. */
function shapeClaim(claim: TerminalClaim, shape: StateDialect, names: WireNames): TerminalClaim {
  if (claim.kind === "client") return { kind: "client", clientId: names.toWire(claim.clientId) };
  const { session, chat, turnId, toolCallId } = claim;
  return {
    kind: "session",
    session,
    ...(shape === "lifecycle" ? { chat: chat ?? session } : {}),
    ...(turnId === undefined ? {} : { turnId }),
    ...(toolCallId === undefined ? {} : { toolCallId }),
  };
}

/** Before 0.9 an exit without a code cannot be expressed. */
function shapeEnding(lifecycle: TerminalLifecycle, shape: StateDialect): ShapedEnding {
  if (shape === "lifecycle") return { lifecycle };
  const exitCode = lifecycle.status === "exited" ? lifecycle.exitCode : undefined;
  return exitCode === undefined ? {} : { exitCode };
}
