// What a client of the Agent Host Protocol makes of snapshots and actions, written anew from the protocol's text so that the
// host is checked against something that is not its own.

/** Who a terminal belongs to, as it stands on the wire. */
export interface WireClaim {
  readonly kind: string;
  readonly clientId?: string;
  readonly session?: string;
  readonly chat?: string;
  readonly turnId?: string;
  readonly toolCallId?: string;
}

/** Whether a program still runs, since 0.9. */
interface Lifecycle {
  readonly status: string;
  readonly exitCode?: number;
}

/** One part of what a terminal shows. */
export interface Part {
  readonly type: string;
  readonly value?: string;
  readonly commandId?: string;
  readonly commandLine?: string;
  readonly output?: string;
  readonly timestamp?: number;
  readonly isComplete?: boolean;
  readonly exitCode?: number;
  readonly durationMs?: number;
}

/** The state of a terminal's channel, of any version. */
export interface TerminalState {
  readonly title: string;
  readonly content: readonly Part[];
  readonly claim: WireClaim;
  readonly cwd?: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly lifecycle?: Lifecycle;
  readonly exitCode?: number;
  readonly supportsCommandDetection?: boolean;
  readonly isPty?: boolean;
}

/** A terminal in the list of the root channel, of any version. */
export interface TerminalInfo {
  readonly resource: string;
  readonly title: string;
  readonly claim: WireClaim;
  readonly lifecycle?: Lifecycle;
  readonly exitCode?: number;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** The state of the root channel. */
export interface RootState {
  readonly agents: readonly unknown[];
  readonly terminals?: readonly TerminalInfo[];
}

/** The state of a channel with the number it includes. */
export interface Snapshot {
  readonly resource: string;
  readonly fromSeq: number;
  readonly state: TerminalState | RootState;
}

/** What happened on a channel; which fields there are follows from its type. */
export interface Action {
  readonly type: string;
  readonly data?: string;
  readonly cols?: number;
  readonly rows?: number;
  readonly claim?: WireClaim;
  readonly title?: string;
  readonly cwd?: string;
  readonly exitCode?: number;
  readonly commandId?: string;
  readonly commandLine?: string;
  readonly timestamp?: number;
  readonly durationMs?: number;
  readonly terminals?: readonly TerminalInfo[];
}

/** One numbered action on a channel. */
export interface Envelope {
  readonly channel: string;
  readonly action: Action;
  readonly serverSeq: number;
  readonly origin?: { readonly clientId: string; readonly clientSeq: number };
  readonly rejectionReason?: string;
}

/** The state of a terminal after an action; looks at no rejection, as the official clients do not. */
export function reduceTerminal(state: TerminalState, action: Action): TerminalState {
  const { type, data = "", claim = state.claim, title = state.title } = action;
  if (type === "terminal/data") return { ...state, content: append(state.content, data) };
  if (type === "terminal/resized") return { ...state, ...pick(action, ["cols", "rows"]) };
  if (type === "terminal/claimed") return { ...state, claim };
  if (type === "terminal/titleChanged") return { ...state, title };
  if (type === "terminal/cwdChanged") return { ...state, ...pick(action, ["cwd"]) };
  if (type === "terminal/cleared") return { ...state, content: [] };
  if (type === "terminal/exited") return exited(state, pick(action, ["exitCode"]));
  if (type === "terminal/commandDetectionAvailable") {
    return { ...state, supportsCommandDetection: true };
  }
  if (type === "terminal/commandExecuted") {
    const facts = pick(action, ["commandId", "commandLine", "timestamp"]);
    const part = { type: "command", ...facts, output: "", isComplete: false };
    return { ...state, supportsCommandDetection: true, content: [...state.content, part] };
  }
  if (type === "terminal/commandFinished") {
    const finish = (part: Part): Part =>
      part.type === "command" && part.commandId === action.commandId
        ? finished(part, action)
        : part;
    return { ...state, content: state.content.map(finish) };
  }
  return state;
}

/** The state of the root channel after an action. */
export const reduceRoot = (state: RootState, { type, terminals }: Action): RootState =>
  type === "root/terminalsChanged" && terminals ? { ...state, terminals } : state;

/** What the parts of a terminal say together. */
export const textOf = (content: readonly Part[]): string =>
  content
    .map(({ type, output = "", value = "" }) => (type === "command" ? output : value))
    .join("");

function append(content: readonly Part[], data: string): readonly Part[] {
  const tail = content.at(-1);
  if (tail?.type === "command" && tail.isComplete !== true) {
    return [...content.slice(0, -1), { ...tail, output: (tail.output ?? "") + data }];
  }
  if (tail?.type === "unclassified") {
    return [...content.slice(0, -1), { ...tail, value: (tail.value ?? "") + data }];
  }
  return [...content, { type: "unclassified", value: data }];
}

function finished(part: Part, action: Action): Part {
  const { exitCode: _code, durationMs: _duration, ...rest } = part;
  return { ...rest, ...pick(action, ["exitCode", "durationMs"]), isComplete: true };
}

function exited(state: TerminalState, code: Pick<Action, "exitCode">): TerminalState {
  if (state.lifecycle) return { ...state, lifecycle: { status: "exited", ...code } };
  const { exitCode: _before, ...rest } = state;
  return { ...rest, ...code };
}

/** These fields of an action, without those that are absent. */
function pick<Name extends keyof Action>(
  action: Action,
  names: readonly Name[],
): Pick<Action, Name> {
  const entries = Object.entries(action).filter(([name]) => names.includes(name as Name));
  return Object.fromEntries(entries) as Pick<Action, Name>;
}
