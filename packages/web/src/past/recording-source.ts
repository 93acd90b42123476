import type { NacreClient } from "@nacre/client";
import type { Screen, TerminalId, TerminalRecordingEntry } from "@nacre/contracts";
import { CHAPTER_TYPES, Chapters, type Chapter, type Extent, idleStretches } from "./outline.ts";

/** Some of the entries of a recording, and whether more follow. */
export interface EntryPage {
  readonly entries: readonly TerminalRecordingEntry[];
  readonly isLast: boolean;
}

/** Where to be in a recording: a moment, and the entry of that moment where it matters which. */
export interface Spot {
  readonly atMs: number;
  readonly sequence?: number;
}

/** Where a player reads a recording from. */
export interface RecordingSource {
  readExtent(signal?: AbortSignal): Promise<Extent>;
  readChapters(signal?: AbortSignal): Promise<readonly Chapter[]>;
  /** The screen as it was, as escape sequences that restore it. */
  readScreen(spot: Spot, signal?: AbortSignal): Promise<Screen>;
  /** What changed the screen after a sequence, in order; a bounded piece of it. */
  readAfter(sequence: number, signal?: AbortSignal): Promise<EntryPage>;
}

/** Entries that change what is seen, and the end. */
const SHOWN_TYPES = ["output", "resize", "clear", "exit"] as const;

/** A page is fetched in the time of one frame or two; the host bounds its bytes as well. */
const PAGE_ENTRIES = 500;

/** Chapters are small, so many fit into one answer. */
const CHAPTER_PAGE_ENTRIES = 1000;

/** How finely a slider can be dragged and still tell where nothing happened. */
const TIMELINE_POINTS = 500;

/** Shorter pauses are part of typing and thinking; they are not shown as idle. */
const MIN_IDLE_MS = 2000;

/** Reads the recording of a terminal from its host. */
export function recordingSource(client: NacreClient, id: TerminalId): RecordingSource {
  return {
    async readExtent(signal) {
      const timeline = await client.readTimeline({ id, points: TIMELINE_POINTS }, { signal });
      const { durationMs, startedAt, sealed, points } = timeline;
      return {
        durationMs,
        beganAt: Date.parse(startedAt),
        isEnded: sealed,
        idle: idleStretches(points, MIN_IDLE_MS),
      };
    },
    async readChapters(signal) {
      const chapters = new Chapters();
      for (let after = 0; ;) {
        const page = await client.findRecordingEntries(
          { terminalId: id, types: [...CHAPTER_TYPES], after, limit: CHAPTER_PAGE_ENTRIES },
          { signal },
        );
        chapters.add(page.entries);
        if (page.nextAfter === undefined || chapters.isFull) return chapters.list;
        after = page.nextAfter;
      }
    },
    readScreen: ({ atMs, sequence }, signal) =>
      client.readScreen(
        {
          id,
          format: "ansi",
          ...(sequence === undefined ? { atElapsedMs: Math.round(atMs) } : { at: sequence }),
        },
        { signal },
      ),
    async readAfter(sequence, signal) {
      const { entries, truncated } = await client.findRecordingEntries(
        { terminalId: id, types: [...SHOWN_TYPES], after: sequence, limit: PAGE_ENTRIES },
        { signal },
      );
      return { entries, isLast: !truncated };
    },
  };
}

/** The spot of an entry; the beginning when it is gone. */
export async function findSpot(
  client: NacreClient,
  id: TerminalId,
  sequence: number,
): Promise<Spot> {
  const { entries } = await client.findRecordingEntries({
    terminalId: id,
    after: Math.max(0, sequence - 1),
    limit: 1,
  });
  const [entry] = entries;
  return entry ? { atMs: entry.elapsedMs, sequence: entry.sequence } : { atMs: 0 };
}
