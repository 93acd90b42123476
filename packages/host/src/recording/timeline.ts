import { DEFAULT_TIMELINE_POINTS, type RecordingTimeline, type TerminalId } from "@nacre/contracts";
import type { Extent, StoreReader } from "../store/store.ts";

/** What of a timeline to read. */
export interface TimelineQuery {
  readonly id: TerminalId;
  readonly points?: number | undefined;
}

/** Says how long a recording is and which entry belongs to which moment; each point costs a few reads, however long it is. */
export function readTimeline(
  store: StoreReader,
  { id, points = DEFAULT_TIMELINE_POINTS }: TimelineQuery,
): RecordingTimeline {
  const extent = store.readExtent(id);
  const { firstSequence, lastSequence } = extent;
  const firstMs = store.readElapsed(id, firstSequence) ?? 0;
  const durationMs = store.readHead(id)?.elapsedMs ?? 0;
  const isEmpty = lastSequence < firstSequence;
  const spanMs = Math.max(0, durationMs - firstMs);
  // Each point is at or behind the one before.
  let low = firstSequence;
  return {
    id,
    startedAt: new Date(readBeginning(store, id, { firstSequence, firstMs })).toISOString(),
    durationMs,
    firstSequence,
    lastSequence,
    sealed: store.readSeal(id) !== undefined,
    points: isEmpty
      ? []
      : Array.from({ length: points }, (_, place) => {
          const elapsedMs = Math.round(firstMs + (spanMs * place) / (points - 1));
          low = bisectSequence(store, id, { extent: { ...extent, firstSequence: low }, elapsedMs });
          return { elapsedMs, sequence: low };
        }),
  };
}

/** The newest entry at a moment; the first that is kept when the moment is before it. */
export function findSequenceAt(
  store: StoreReader,
  id: TerminalId,
  elapsedMs: number,
): number | undefined {
  const extent = store.readExtent(id);
  if (extent.lastSequence < extent.firstSequence) return undefined;
  return bisectSequence(store, id, { extent, elapsedMs });
}

interface MomentQuery {
  readonly extent: Extent;
  readonly elapsedMs: number;
}

/** Halves what is left until one is: the clock of a recording never goes back. */
function bisectSequence(
  store: StoreReader,
  id: TerminalId,
  { extent, elapsedMs }: MomentQuery,
): number {
  let low = extent.firstSequence;
  let high = extent.lastSequence;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    // One that was removed meanwhile was before any that is kept.
    if ((store.readElapsed(id, middle) ?? 0) <= elapsedMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** Unix ms at which the clock of the recording was at zero. */
function readBeginning(
  store: StoreReader,
  id: TerminalId,
  { firstSequence, firstMs }: { readonly firstSequence: number; readonly firstMs: number },
): number {
  const at = store.readTime(id, firstSequence);
  return at === undefined ? Date.parse(store.readTerminal(id)?.createdAt ?? "") : at - firstMs;
}
