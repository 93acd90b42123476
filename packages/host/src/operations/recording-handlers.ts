import { setTimeout as sleep } from "node:timers/promises";
import {
  type CallerId,
  DEFAULT_LIST_LENGTH,
  invalidArgument,
  MAX_REMOVALS_SHOWN,
  NacreError,
  type PruneRecordingsInput,
  type PruneRecordingsResult,
  type RecordingRemoval,
  type RecordingVerdict,
  type TerminalId,
} from "@nacre/contracts";
import { canSeeOwner } from "../auth/auth-context.ts";
import { type Registry, terminalNotFound } from "../registry/registry.ts";
import { resolveOwnerFilter } from "./access.ts";
import { type Handlers, type OperationsDeps, paginate } from "./handler.ts";

/** Per agent: each verification reads a whole recording. */
const MAX_VERIFYING = 2;

/** A longer step waited for others itself. */
const MAX_VERIFY_PAUSE_MS = 50;

class VerifySlots {
  readonly #running = new Map<CallerId, number>();

  /** Until disposed; throws `limit_reached`. */
  acquire(caller: CallerId): Disposable {
    const running = this.#running.get(caller) ?? 0;
    if (running >= MAX_VERIFYING) {
      const message = `${running} recordings are being verified for ${caller}`;
      const suggestion = "Wait for one of the verdicts, then ask again.";
      throw new NacreError("limit_reached", message, { suggestion });
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

/** Stops when nobody waits any more. */
async function verifyRecording(
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

/** A damaged recording may not even tell that, and is verified from its first entry. */
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

type Recordings = Registry["recordings"];
type Policy = Parameters<Recordings["applyRetention"]>[0];
type RemovedRecording = Awaited<ReturnType<Recordings["applyRetention"]>>[number];

/** `dryRun` only plans. */
async function pruneRecordings(
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

/** Removed terminals leave the list. */
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
  // Sequences begin at 1; an empty recording has none.
  ...(throughSequence > 0 ? { throughSequence } : {}),
  entries,
  bytes,
  ...(problem === undefined ? {} : { problem }),
});

/** What is done with Recordings, of live and of ended Terminals alike. */
export function recordingHandlers({ registry }: OperationsDeps) {
  const { recordings } = registry;
  const verifying = new VerifySlots();
  return {
    findRecordingEntries: (input) => recordings.findEntries(input),
    searchRecordings: async ({ owner: asked, ...query }, { caller }) => {
      const owner = resolveOwnerFilter(caller, asked);
      const by = { name: caller.id, isFirst: caller.scope === "operator" };
      return await recordings.search(
        { ...query, ...(owner === undefined ? {} : { owner }) },
        { by },
      );
    },
    listRecordings: async (input, { caller }) => {
      const { owner: asked, after, newestFirst = false, limit = DEFAULT_LIST_LENGTH } = input;
      const owner = resolveOwnerFilter(caller, asked);
      if (after !== undefined) {
        const row = await recordings.readTerminal(after);
        if (!row || !canSeeOwner(caller, row.owner)) throw nothingAfter(after);
      }
      const page = { newestFirst, limit: limit + 1, ...(after === undefined ? {} : { after }) };
      const found = await recordings.listTerminals({ ...page, owner });
      const [rows, more] = paginate(found, limit, ({ id }) => id);
      return { recordings: rows, ...more };
    },
    readTimeline: (query) => recordings.readTimeline(query),
    verifyRecording: async ({ id }, { caller, signal }) => {
      using _turn = caller.scope === "agent" ? verifying.acquire(caller.id) : undefined;
      return await verifyRecording(recordings, id, signal);
    },
    pruneRecordings: (input) => pruneRecordings(registry, input),
    deleteRecording: async ({ id, purge = false, force }, { caller }) => {
      const how = { by: caller, force };
      if (purge) return { id, entries: await registry.purge(id, how) };
      if (!(await registry.findRow(id))) throw terminalNotFound(id);
      return { id, entries: await registry.delete(id, how) };
    },
  } satisfies Partial<Handlers>;
}

const nothingAfter = (after: TerminalId): NacreError =>
  invalidArgument("after", `there is no recording of ${after} to go on from`, {
    suggestion: "List from the beginning.",
  });
