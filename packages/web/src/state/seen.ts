import { type Need, needsOf } from "@nacre/client/ui";
import type { TerminalSummary } from "@nacre/contracts";
import { signal } from "@preact/signals";

/** Without failures already seen on this page. */
export const unseenNeeds = (terminal: TerminalSummary): readonly Need[] =>
  needsOf(terminal).filter(({ kind }) => kind !== "failed" || !isSeen(terminal));

/** Seen on this page. */
const seen = signal<ReadonlySet<string>>(new Set());

/** Once per command, and per terminal that ended. */
const failureKey = ({ id, lastCommand }: TerminalSummary): string =>
  `${id} ${lastCommand?.commandId ?? ""}`;

export function markSeen(terminal: TerminalSummary): void {
  const key = failureKey(terminal);
  if (!seen.value.has(key)) seen.value = new Set([...seen.value, key]);
}

const isSeen = (terminal: TerminalSummary): boolean => seen.value.has(failureKey(terminal));
