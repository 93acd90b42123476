import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalContentPart, TerminalState } from "../protocol/state.ts";
import { exitedAction, correctiveAction } from "./told-state.ts";

/** The fields of a terminal that an action can set to any value. */
const RESYNC_FIELDS = [
  "terminal/resized",
  "terminal/claimed",
  "terminal/titleChanged",
  "terminal/cwdChanged",
] as const;

/** The actions after which a client that has missed some knows the whole state again. */
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
