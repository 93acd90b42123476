import { setTimeout as sleep } from "node:timers/promises";
import {
  type CallerId,
  NacreError,
  type RecordingVerdict,
  type TerminalId,
} from "@nacre/contracts";
import type { Registry } from "../registry/registry.ts";

/** Proofs that one agent has at once: each reads a whole recording. */
const MAX_VERIFYING = 2;

/** A step that took longer waited for others itself. */
const MAX_VERIFY_PAUSE_MS = 50;

/** How many recordings are being proven for whom. */
export class VerifySlots {
  readonly #running = new Map<CallerId, number>();

  /** Takes a turn, to be disposed of; refused with `limit_reached` where a caller has too many. */
  acquire(caller: CallerId): Disposable {
    const running = this.#running.get(caller) ?? 0;
    if (running >= MAX_VERIFYING) {
      throw new NacreError(
        "limit_reached",
        `${running} recordings are being verified for ${caller}`,
        {
          suggestion: "Wait for one of the verdicts, then ask again.",
        },
      );
    }
    this.#running.set(caller, running + 1);
    return {
      [Symbol.dispose]: () => {
        const rest = (this.#running.get(caller) ?? 1) - 1;
        if (rest > 0) this.#running.set(caller, rest);
        else this.#running.delete(caller);
      },
    };
  }
}

/** Proves a recording; stops when nobody waits for the verdict any more. */
export async function verifyRecording(
  recordings: Registry["recordings"],
  id: TerminalId,
  signal: AbortSignal | undefined,
): Promise<RecordingVerdict> {
  const { firstSequence, sealed } = await readEnds(recordings, id);
  let startedAt = performance.now();
  for await (const step of recordings.verify(id)) {
    signal?.throwIfAborted();
    if (!("ok" in step)) {
      // The same thread reads for everybody else; half of its time is theirs.
      await sleep(Math.min(performance.now() - startedAt, MAX_VERIFY_PAUSE_MS));
      startedAt = performance.now();
      continue;
    }
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
