import type { Screen, TerminalId, TerminalRecordingEntry } from "@nacre/contracts";
import type { Client } from "../client.ts";
import {
  CHAPTER_TYPES,
  Chapters,
  type Chapter,
  type Extent,
  idleStretches,
  type Spot,
} from "./outline.ts";
import { type After, PAGE_ROWS, readPages } from "./read-pages.ts";

/** Some of the entries of a recording, and whether more follow. */
export interface EntryPage {
  readonly entries: readonly TerminalRecordingEntry[];
  readonly isLast: boolean;
}

/** Where a player reads a recording from. */
export interface RecordingSource {
  readExtent(signal?: AbortSignal): Promise<Extent>;
  readChapters(signal?: AbortSignal): Promise<readonly Chapter[]>;
  /** The screen as it was. */
  readScreen(spot: Spot, signal?: AbortSignal): Promise<Screen>;
  /** What changed the screen after a sequence, in order; a bounded piece of it. */
  readAfter(sequence: number, signal?: AbortSignal): Promise<EntryPage>;
}

/** Entries that change what is seen, and the end. */
export const SHOWN_TYPES = ["output", "resize", "clear", "exit"] as const;

/** A page is fetched in the time of one frame or two; the host bounds its bytes as well. */
const PAGE_ENTRIES = 500;

/** How finely a slider can be dragged and still tell where nothing happened. */
const TIMELINE_POINTS = 500;

/** Shorter pauses are part of typing and thinking; they are not shown as idle. */
const MIN_IDLE_MS = 2000;

/** The operations that a recording is read with. */
export type RecordingReader = Pick<Client, "readTimeline" | "findRecordingEntries" | "readScreen">;

export interface RecordingSourceOptions {
  readonly id: TerminalId;
  /** How screens are wanted: as what an emulator draws, or as cells. */
  readonly format: "ansi" | "cells";
}

/** Reads the recording of a terminal from its host. */
export function recordingSource(
  client: RecordingReader,
  { id, format }: RecordingSourceOptions,
): RecordingSource {
  return {
    async readExtent(signal) {
      const timeline = await client.readTimeline({ id, points: TIMELINE_POINTS }, { signal });
      const { durationMs, startedAt, lastSequence, sealed, points } = timeline;
      return {
        durationMs,
        beganAt: Date.parse(startedAt),
        lastSequence,
        isEnded: sealed,
        idle: idleStretches(points, MIN_IDLE_MS),
      };
    },
    async readChapters(signal) {
      const chapters = new Chapters();
      const pages = readPages((after: After<number>) =>
        client.findRecordingEntries(
          { terminalId: id, types: [...CHAPTER_TYPES], ...after, limit: PAGE_ROWS },
          { signal },
        ),
      );
      for await (const page of pages) {
        chapters.add(page.entries);
        if (chapters.isFull) break;
      }
      return chapters.list;
    },
    readScreen: ({ atMs, sequence }, signal) =>
      client.readScreen(
        {
          id,
          format,
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
  client: RecordingReader,
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
