import {
  MAX_REMOVALS_SHOWN,
  type PruneRecordingsInput,
  type PruneRecordingsResult,
  type RecordingRemoval,
} from "@nacre/contracts";
import type { Registry } from "../registry/registry.ts";

type Recordings = Registry["recordings"];
type Policy = Parameters<Recordings["applyRetention"]>[0];
type Removed = Awaited<ReturnType<Recordings["applyRetention"]>>[number];

/** Removes what is beyond the limits, or only looks for it. */
export async function prune(
  registry: Registry,
  { dryRun = false, ...limits }: PruneRecordingsInput,
): Promise<PruneRecordingsResult> {
  const policy = withoutAbsent(limits);
  const { recordings } = registry;
  const removed: readonly Removed[] = await (dryRun
    ? recordings.planRetention(policy)
    : recordings.applyRetention(policy));
  if (!dryRun) await takeOffList(registry, removed);
  const gone = removed.filter(({ problem }) => problem === undefined);
  return {
    dryRun,
    recordings: new Set(gone.map(({ terminalId }) => terminalId)).size,
    entries: gone.reduce((sum, { entries }) => sum + entries, 0),
    bytes: gone.reduce((sum, { bytes }) => sum + bytes, 0),
    removed: removed.slice(0, MAX_REMOVALS_SHOWN).map(removalOf),
    truncated: removed.length > MAX_REMOVALS_SHOWN,
  };
}

/** Nothing is left of them that could be listed. */
async function takeOffList(registry: Registry, removed: readonly Removed[]): Promise<void> {
  for (const { terminalId, whole, problem } of removed) {
    const isGone = whole && problem === undefined;
    if (isGone && registry.find(terminalId)) await registry.dispose(terminalId);
  }
}

const withoutAbsent = (limits: Omit<PruneRecordingsInput, "dryRun">): Policy =>
  Object.fromEntries(Object.entries(limits).filter(([, limit]) => limit !== undefined));

const removalOf = ({
  terminalId: id,
  reason,
  whole,
  throughSequence,
  entries,
  bytes,
  problem,
}: Removed): RecordingRemoval => ({
  id,
  reason,
  whole,
  // The sequences of a recording begin at 1; an empty one has none.
  ...(throughSequence > 0 ? { throughSequence } : {}),
  entries,
  bytes,
  ...(problem === undefined ? {} : { problem }),
});
