// Reducers: the same on the host and in every client.
import type { RootAction, TerminalAction } from "./action.ts";
import type { TerminalContentPart, TerminalLifecycle } from "./state.ts";
import type { StateDialect } from "./version.ts";

interface AnyTerminalState {
  readonly content: readonly TerminalContentPart[];
  readonly lifecycle?: TerminalLifecycle | undefined;
  readonly exitCode?: number | undefined;
}

interface AnyAction {
  readonly type: string;
}

/** The same object where nothing changes. */
export const reduceTerminal = <State extends AnyTerminalState>(
  state: State,
  action: AnyAction,
  shape: StateDialect,
): State => reduceTerminalActions(state, [action], shape);

/** Copies the content only once. */
export function reduceTerminalActions<State extends AnyTerminalState>(
  state: State,
  actions: Iterable<AnyAction>,
  shape: StateDialect,
): State {
  const fold = new TerminalReducer<State>(state, shape);
  for (const action of actions) fold.apply(action as TerminalAction);
  return fold.state;
}

class TerminalReducer<State extends AnyTerminalState> {
  readonly #shape: StateDialect;
  #state: State;
  /** Copied on the first change. */
  #content: TerminalContentPart[] | undefined;

  constructor(state: State, shape: StateDialect) {
    this.#state = state;
    this.#shape = shape;
  }

  get state(): State {
    return this.#content === undefined ? this.#state : { ...this.#state, content: this.#content };
  }

  apply(action: TerminalAction): void {
    // An unknown type of a later version changes nothing.
    switch (action.type) {
      case "terminal/data":
        return this.#append(action.data);
      case "terminal/input":
        return undefined;
      case "terminal/resized":
        return this.#set({ cols: action.cols, rows: action.rows });
      case "terminal/claimed":
        return this.#set({ claim: action.claim });
      case "terminal/titleChanged":
        return this.#set({ title: action.title });
      case "terminal/cwdChanged":
        return this.#set({ cwd: action.cwd });
      case "terminal/exited":
        return this.#exit(action.exitCode);
      case "terminal/cleared":
        this.#content = [];
        return undefined;
      case "terminal/commandDetectionAvailable":
        return this.#set({ supportsCommandDetection: true });
      case "terminal/commandExecuted":
        return this.#begin(action);
      case "terminal/commandFinished":
        return this.#finish(action);
    }
  }

  #set(fields: Readonly<Record<string, unknown>>): void {
    this.#state = { ...this.#state, ...fields };
  }

  #parts(): TerminalContentPart[] {
    this.#content ??= [...this.#state.content];
    return this.#content;
  }

  #append(data: string): void {
    const parts = this.#parts();
    const last = parts.at(-1);
    if (last?.type === "command" && !last.isComplete) {
      parts[parts.length - 1] = { ...last, output: last.output + data };
    } else if (last?.type === "unclassified") {
      parts[parts.length - 1] = { ...last, value: last.value + data };
    } else {
      parts.push({ type: "unclassified", value: data });
    }
  }

  #exit(exitCode: number | undefined): void {
    const code = exitCode === undefined ? {} : { exitCode };
    if (this.#shape === "lifecycle") {
      this.#set({ lifecycle: { status: "exited", ...code } });
      return;
    }
    const { exitCode: _before, ...rest } = this.#state;
    this.#state = { ...rest, ...code } as State;
  }

  #begin(action: Extract<TerminalAction, { type: "terminal/commandExecuted" }>): void {
    const { commandId, commandLine, timestamp } = action;
    const begun = { commandId, commandLine, output: "", timestamp, isComplete: false };
    this.#parts().push({ type: "command", ...begun });
    this.#set({ supportsCommandDetection: true });
  }

  #finish(action: Extract<TerminalAction, { type: "terminal/commandFinished" }>): void {
    const { commandId, exitCode, durationMs } = action;
    const isMeant = (part: TerminalContentPart): boolean =>
      part.type === "command" && part.commandId === commandId;
    if (!(this.#content ?? this.#state.content).some(isMeant)) return;
    this.#content = this.#parts().map((part) => {
      if (part.type !== "command" || part.commandId !== commandId) return part;
      const { exitCode: _code, durationMs: _duration, ...begun } = part;
      return {
        ...begun,
        isComplete: true,
        ...(exitCode === undefined ? {} : { exitCode }),
        ...(durationMs === undefined ? {} : { durationMs }),
      };
    });
  }
}

type AnyRootAction =
  | RootAction
  | { readonly type: "root/agentsChanged"; readonly agents: readonly unknown[] }
  | { readonly type: "root/activeSessionsChanged"; readonly activeSessions: number };

interface AnyRootState {
  readonly config?: { readonly values?: Readonly<Record<string, unknown>> };
}

/** The same object where nothing changes. */
export function reduceRoot<State extends object>(state: State, action: AnyAction): State {
  const known = action as AnyRootAction;
  // An unknown type of a later version changes nothing.
  switch (known.type) {
    case "root/terminalsChanged":
      return { ...state, terminals: known.terminals };
    case "root/agentsChanged":
      return { ...state, agents: known.agents };
    case "root/activeSessionsChanged":
      return { ...state, activeSessions: known.activeSessions };
    case "root/configChanged": {
      const { config }: AnyRootState = state;
      // A host without configuration, such as this one, gets none.
      if (!config) return state;
      const kept = known.replace ? {} : config.values;
      return { ...state, config: { ...config, values: { ...kept, ...known.config } } };
    }
  }
  return state;
}
