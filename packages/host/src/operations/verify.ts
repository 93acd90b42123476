import type { RecordingVerdict, TerminalId } from "@nacre/contracts";
import type { Registry } from "../registry/registry.ts";

/** Proves a recording; stops when nobody waits for the verdict any more. */
export async function verify(
  recordings: Registry["recordings"],
  id: TerminalId,
  signal: AbortSignal | undefined,
): Promise<RecordingVerdict> {
  const { firstSequence, sealed } = await recordings.readTimeline({ id, points: 2 });
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
