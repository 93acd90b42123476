import { NacreError, type RecordingVerdict, type TerminalId } from "@nacre/contracts";
import type { Registry } from "../registry/registry.ts";

/** Proves a recording; stops when nobody waits for the verdict any more. */
export async function verify(
  recordings: Registry["recordings"],
  id: TerminalId,
  signal: AbortSignal | undefined,
): Promise<RecordingVerdict> {
  const { firstSequence, sealed } = await readEnds(recordings, id);
  for await (const step of recordings.verify(id)) {
    signal?.throwIfAborted();
    if (!("ok" in step)) continue;
    if (step.ok) return { id, ...step };
    const { firstBadSequence, reason } = step;
    const entries = Math.max(0, firstBadSequence - firstSequence);
    const lastSequence = firstSequence - 1 + entries;
    return {
      id,
      ok: false,
      entries,
      firstSequence,
      lastSequence,
      sealed,
      firstBadSequence,
      reason,
    };
  }
  throw new Error(`proving ${id} ended without a verdict`);
}

/** Where a recording begins; one that is damaged may not even tell that, and is proven from its first entry. */
async function readEnds(
  recordings: Registry["recordings"],
  id: TerminalId,
): Promise<{ readonly firstSequence: number; readonly sealed: boolean }> {
  try {
    return await recordings.readTimeline({ id, points: 2 });
  } catch (error) {
    if (!(error instanceof NacreError) || error.code !== "recording_damaged") throw error;
    return { firstSequence: 1, sealed: false };
  }
}
