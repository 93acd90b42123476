// What a recording is made of as a person sees it: its extent in time, its commands and its named points.
import type { EntryOf, EntryType, TerminalRecordingEntry } from "@nacre/contracts";
import { shortLabel } from "./format.ts";

/** A place of a recording that somebody wants to go to: where a command began, or a marker. */
export interface Chapter {
  readonly kind: "command" | "marker";
  readonly sequence: number;
  /** Milliseconds since the recording began. */
  readonly atMs: number;
  readonly label: string;
  /** How the command ended; absent while it runs and for markers. */
  readonly end?: ChapterEnd;
}

/** How a command ended. */
export interface ChapterEnd {
  readonly atMs: number;
  readonly exitCode: number | undefined;
  readonly signal: string | undefined;
}

/** A stretch of time in which nothing was shown anew. */
export interface Stretch {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The extent of a recording in time. */
export interface Extent {
  /** How long it is: when its newest entry happened, in milliseconds since it began. */
  readonly durationMs: number;
  /** The wall clock when it began, in Unix milliseconds. */
  readonly beganAt: number;
  readonly lastSequence: number;
  /** Whether it is closed: nothing follows. */
  readonly isEnded: boolean;
  /** Where nothing happened for long, as far as it is known. */
  readonly idle: readonly Stretch[];
}

/** The entries that chapters are made of. */
export const CHAPTER_TYPES = ["command", "commandEnd", "marker"] as const satisfies EntryType[];

/** Beyond this, a list of chapters is no help to anybody, and each costs memory. */
export const MAX_CHAPTERS = 5000;

/** Chapters in the order of a recording, put together from its entries as they come. */
export class Chapters {
  readonly #chapters: Chapter[] = [];
  /** Where the commands that still run are in the list. */
  readonly #running = new Map<string, number>();

  get list(): readonly Chapter[] {
    return this.#chapters;
  }

  get isFull(): boolean {
    return this.#chapters.length >= MAX_CHAPTERS;
  }

  /** Takes the next entries, in order. */
  add(entries: readonly TerminalRecordingEntry[]): void {
    for (const entry of entries) {
      if (entry.type === "commandEnd") this.#end(entry);
      else if (entry.type === "command") this.#begin(entry);
      else if (entry.type === "marker") this.#push("marker", entry, entry.label);
    }
  }

  #begin(entry: EntryOf<"command">): void {
    if (this.isFull) return;
    this.#running.set(entry.commandId, this.#chapters.length);
    this.#push("command", entry, entry.commandLine);
  }

  #push(kind: Chapter["kind"], entry: TerminalRecordingEntry, label: string): void {
    if (this.isFull) return;
    const { sequence, elapsedMs: atMs } = entry;
    this.#chapters.push({ kind, sequence, atMs, label: shortLabel(label) });
  }

  #end({ commandId, elapsedMs, exitCode, signal }: EntryOf<"commandEnd">): void {
    const at = this.#running.get(commandId);
    const chapter = at === undefined ? undefined : this.#chapters[at];
    if (at === undefined || !chapter) return;
    this.#running.delete(commandId);
    this.#chapters[at] = { ...chapter, end: { atMs: elapsedMs, exitCode, signal } };
  }
}

/** Going back within this time of a chapter's beginning goes to the one before it, as with songs. */
const BACK_GRACE_MS = 1000;

/** The index of the chapter that a place is in; -1 before the first. */
export function chapterAt(chapters: readonly Chapter[], ms: number): number {
  let low = 0;
  let high = chapters.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((chapters[middle]?.atMs ?? Infinity) <= ms) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Where to be in a recording: a moment, and the entry of that moment where it matters which. */
export interface Spot {
  readonly atMs: number;
  readonly sequence?: number;
}

/** Where `]` (1) and `[` (-1) go: to the next chapter, or the beginning of this one and then the one before; without one, to an end of the recording. */
export function chapterSpot(
  chapters: readonly Chapter[],
  { positionMs, durationMs }: { readonly positionMs: number; readonly durationMs: number },
  direction: 1 | -1,
): Spot {
  const at =
    direction === 1
      ? chapterAt(chapters, positionMs) + 1
      : chapterAt(chapters, positionMs - BACK_GRACE_MS);
  return chapters[at] ?? { atMs: direction === 1 ? durationMs : 0 };
}

/** A moment, and the newest entry at it. */
interface Point {
  readonly sequence: number;
  readonly elapsedMs: number;
}

/** Where nothing happened for at least so long, by points that are evenly spaced in time: neighbours that name the same entry. */
export function idleStretches(points: readonly Point[], leastMs: number): readonly Stretch[] {
  const stretches: Stretch[] = [];
  let first: Point | undefined;
  for (const [at, point] of points.entries()) {
    first ??= point;
    if (points[at + 1]?.sequence === point.sequence) continue;
    const { elapsedMs: fromMs } = first;
    if (point.elapsedMs - fromMs >= leastMs) stretches.push({ fromMs, toMs: point.elapsedMs });
    first = undefined;
  }
  return stretches;
}
