import {
  MAX_REMOVALS_SHOWN,
  type PruneRecordingsInput,
  type PruneRecordingsResult,
  type RecordingRemoval,
} from "@nacre/contracts";
import type { Registry } from "../registry/registry.ts";

type Recordings = Registry["recordings"];
type Policy = Parameters<Recordings["applyRetention"]>[0];
type RemovedRecording = Awaited<ReturnType<Recordings["applyRetention"]>>[number];

/** Removes what is beyond the limits, or only looks for it. */
export async function pruneRecordings(
  registry: Registry,
  { dryRun = false, ...limits }: PruneRecordingsInput,
): Promise<PruneRecordingsResult> {
  const policy = omitUndefined(limits);
  const { recordings } = registry;
  const removed: readonly RemovedRecording[] = await (dryRun
    ? recordings.planRetention(policy)
    : recordings.applyRetention(policy));
  if (!dryRun) await unlistRemoved(registry, removed);
  const gone = removed.filter(({ problem }) => problem === undefined);
  return {
    dryRun,
    recordings: new Set(gone.map(({ terminalId }) => terminalId)).size,
    entries: gone.reduce((sum, { entries }) => sum + entries, 0),
    bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0),
    removed: removed.slice(0, MAX_REMOVALS_SHOWN).map(formatRemoval),
    truncated: removed.length > MAX_REMOVALS_SHOWN,
  };
}

/** Nothing is left of them that could be listed. */
async function unlistRemoved(
  registry: Registry,
  removed: readonly RemovedRecording[],
): Promise<void> {
  for (const { terminalId, whole, problem } of removed) {
    const isGone = whole && problem === undefined;
    if (isGone && registry.find(terminalId)) await registry.dispose(terminalId);
  }
}

const omitUndefined = (limits: Omit<PruneRecordingsInput, "dryRun">): Policy =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));

const formatRemoval = ({
  terminalId: id,
  reason,
  whole,
  throughSequence,
  entries,
  bytes,
  problem,
}: RemovedRecording): RecordingRemoval => ({
  id,
  reason,
  whole,
  // The sequences of a recording begin at 1; an empty one has none.
  ...(throughSequence > 0 ? { throughSequence } : {}),
  entries,
  bytes,
  ...(problem === undefined ? {} : { problem }),
});
