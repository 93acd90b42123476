import type { LostReason, TerminalSummary } from "@nacre/contracts";
import { Badge, type Tone } from "../parts/badge.tsx";

/** Why nobody saw a program end. */
const LOST_WORDS: Readonly<Record<LostReason, string>> = {
  keeperEnded: "The keeper ended, and its programs with it",
  machineRestarted: "The machine was restarted",
  hostEnded: "The daemon ended, and its programs with it",
};

/** Where a terminal is in its life, with how it ended. */
export function StateBadge({ terminal }: { readonly terminal: TerminalSummary }) {
  const { words, tone } = stateOf(terminal);
  const { lostReason } = terminal;
  const why = lostReason && { title: LOST_WORDS[lostReason] };
  return (
    <Badge tone={tone} {...why}>
      {words}
    </Badge>
  );
}

function stateOf({ state, exitCode, signal }: TerminalSummary): { words: string; tone: Tone } {
  switch (state) {
    case "creating":
      return { words: "starting", tone: "info" };
    case "active":
      return { words: "running", tone: "good" };
    case "killing":
      return { words: "ending", tone: "warn" };
    case "failed":
      return { words: "failed", tone: "bad" };
    case "lost":
      return { words: "lost", tone: "warn" };
    case "exited":
      if (signal !== undefined) return { words: signal, tone: "warn" };
      if (exitCode === null) return { words: "ended", tone: "neutral" };
      return { words: `exit ${exitCode}`, tone: exitCode === 0 ? "neutral" : "bad" };
  }
}
