import { Badge } from "../parts/badge.tsx";
import type { RecordingLine } from "./recording-line.ts";

/** Whether a recorded terminal runs, and how it ended otherwise. */
export function RecordingStateBadge({ line }: { readonly line: RecordingLine }) {
  const { isRunning, state, signal, exitCode } = line;
  if (isRunning) return <Badge tone="info">running</Badge>;
  if (signal !== undefined) return <Badge tone="bad">{signal}</Badge>;
  if (exitCode !== null) {
    return <Badge tone={exitCode === 0 ? "good" : "bad"}>exit {exitCode}</Badge>;
  }
  if (state === "failed" || state === "lost") return <Badge tone="bad">{state}</Badge>;
  return <Badge>ended</Badge>;
}
