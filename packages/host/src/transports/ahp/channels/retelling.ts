import type { TerminalAction } from "../protocol/action.ts";
import type { TerminalContentPart, TerminalState } from "../protocol/state.ts";
import { exitedOf, truthOf } from "./told-state.ts";

/** The fields of a terminal that an action can set to any value. */
const FIELDS = [
  "terminal/resized",
  "terminal/claimed",
  "terminal/titleChanged",
  "terminal/cwdChanged",
] as const;

/** The actions after which a client that has missed some knows the whole state again. */
export function retellingOf(state: TerminalState): readonly TerminalAction[] {
  const fields = FIELDS.flatMap((type) => truthOf(state, type) ?? []);
  const { lifecycle, supportsCommandDetection } = state;
  return [
    { type: "terminal/cleared" },
    ...(supportsCommandDetection ? [{ type: "terminal/commandDetectionAvailable" } as const] : []),
    ...state.content.flatMap(actionsOf),
    ...fields,
    ...(lifecycle.status === "exited" ? [exitedOf(lifecycle.exitCode ?? null)] : []),
  ];
}

function actionsOf(part: TerminalContentPart): readonly TerminalAction[] {
  if (part.type === "unclassified") return dataOf(part.value);
  const { commandId, commandLine, timestamp, output, isComplete, exitCode, durationMs } = part;
  const begun = { type: "terminal/commandExecuted", commandId, commandLine, timestamp } as const;
  const ended: TerminalAction = {
    type: "terminal/commandFinished",
    commandId,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
  return [begun, ...dataOf(output), ...(isComplete ? [ended] : [])];
}

const dataOf = (data: string): readonly TerminalAction[] =>
  data === "" ? [] : [{ type: "terminal/data", data }];
