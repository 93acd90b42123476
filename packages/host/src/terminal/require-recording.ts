import { NacreError } from "@nacre/contracts";
import type { Recordings } from "../recording/recordings.ts";

/** Refuses what must be recorded to count, while nothing can be recorded. */
export function requireRecording({ state }: Pick<Recordings, "state">): void {
  if (state.state === "ok") return;
  throw new NacreError("recording_blocked", `nothing can be recorded now: ${state.message}`, {
    suggestion: "Make room on the disk, then try again.",
  });
}
