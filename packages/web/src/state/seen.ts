import { type Need, needsOf } from "@nacre/client/ui";
import type { TerminalSummary } from "@nacre/contracts";
import { signal } from "@preact/signals";

/** What of a terminal waits for a person, without failures that somebody at this page has looked at. */
export const unseenNeeds = (terminal: TerminalSummary): readonly Need[] =>
  needsOf(terminal).filter(({ kind }) => kind !== "failed" || !isSeen(terminal));

/** Failures that somebody at this page has looked at. */
const seen = signal<ReadonlySet<string>>(new Set());

/** What is seen once per command, and per terminal that ended. */
const failureKey = ({ id, lastCommand }: TerminalSummary): string =>
  `${id} ${lastCommand?.commandId ?? ""}`;

/** Notes that somebody looks at a terminal now. */
export function markSeen(terminal: TerminalSummary): void {
  const key = failureKey(terminal);
  if (!seen.value.has(key)) seen.value = new Set([...seen.value, key]);
}

/** Whether somebody has looked at it since it failed. */
const isSeen = (terminal: TerminalSummary): boolean => seen.value.has(failureKey(terminal));
