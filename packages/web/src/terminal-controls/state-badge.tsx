import type { LostReason, TerminalSummary } from "@nacre/contracts";
import { Badge, type Tone } from "../parts/badge.tsx";

const LOST_WORDS: Readonly<Record<LostReason, string>> = {
  keeperEnded: "The keeper ended, and its programs with it",
  machineRestarted: "The machine was restarted",
  hostEnded: "The daemon ended, and its programs with it",
};

export function TerminalStateBadge({ terminal }: { readonly terminal: TerminalSummary }) {
  const { words, tone } = stateOf(terminal);
  const { lostReason, recordingBlocked } = terminal;
  const title =
    (recordingBlocked && `${recordingBlocked.message}. ${recordingBlocked.suggestion}`) ??
    (lostReason && LOST_WORDS[lostReason]);
  const why = title === undefined ? {} : { title };
  return (
    <Badge tone={tone} {...why}>
      {words}
    </Badge>
  );
}

function stateOf(terminal: TerminalSummary): { words: string; tone: Tone } {
  const { state, exitCode, signal, recordingBlocked } = terminal;
  if (recordingBlocked) {
    const isFull = recordingBlocked.reason === "diskFull";
    return { words: isFull ? "waits: disk full" : "waits: disk fails", tone: "bad" };
  }
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
