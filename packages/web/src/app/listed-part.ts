import type { TerminalData } from "@nacre/contracts";

/** Entries that change the screen, and nothing of what a list says about a terminal. */
const SILENT_TYPES: ReadonlySet<string> = new Set(["output", "input"]);

/** What a list shows of a terminal, as one text: the same for as long as the terminal only writes. */
export function listedPart(data: TerminalData): string {
  const { title, name, state, exitCode, signal, cwd, claim, viewers, recordingEntries } = data;
  const { runningCommand, inputNeeded, controlRequests, inputRequests } = data;
  const { lapsedRequests, recordingBlocked } = data;
  const told = recordingEntries.findLast(({ type }) => !SILENT_TYPES.has(type))?.sequence;
  return JSON.stringify([
    [title, name, state, exitCode, signal, cwd, claim.epoch, viewers, told],
    [runningCommand?.commandId, inputNeeded, controlRequests, inputRequests],
    [lapsedRequests, recordingBlocked],
  ]);
}
