import type { ContentPart, TerminalContent } from "../../../operations/terminal-listing.ts";
import type { TerminalAction } from "../protocol/action.ts";
import { reduceTerminalActions } from "../protocol/reducer.ts";
import type { TerminalContentPart } from "../protocol/state.ts";

/** What a terminal showed, and what was told since, as clients fold it. */
export function reduceContent(
  { parts }: Pick<TerminalContent, "parts">,
  actions: readonly TerminalAction[],
): readonly TerminalContentPart[] {
  const state: { readonly content: readonly TerminalContentPart[] } = {
    content: parts.map(encodePart),
  };
  return reduceTerminalActions(state, actions, "lifecycle").content;
}

/** What stands for older output in content that goes on elsewhere, and the command that was running unless it is over. */
export function keepBeginning(
  { parts, truncated }: TerminalContent,
  isOver: boolean,
): readonly ContentPart[] {
  const last = parts.at(-1);
  const isRunning = last?.kind === "command" && !last.isComplete && !isOver;
  return [...(truncated ? parts.slice(0, 1) : []), ...(isRunning ? [{ ...last, output: "" }] : [])];
}

/** How many characters of output content has. */
export const contentLengthOf = ({ parts }: Pick<TerminalContent, "parts">): number =>
  parts.reduce(
    (sum, part) => sum + (part.kind === "unclassified" ? part.text : part.output).length,
    0,
  );

function encodePart(part: ContentPart): TerminalContentPart {
  if (part.kind === "unclassified") return { type: "unclassified", value: part.text };
  const { commandId, commandLine, startedAt, output, isComplete, exitCode, durationMs } = part;
  return {
    type: "command",
    commandId,
    commandLine,
    output,
    timestamp: Date.parse(startedAt),
    isComplete,
    ...(exitCode === undefined ? {} : { exitCode }),
    ...(durationMs === undefined ? {} : { durationMs }),
  };
}
