import type { QuickCall } from "@nacre/client/quick";
import type { TerminalId } from "@nacre/contracts";
import { followEntries } from "./follow-entries.ts";

// Where a replay is and what comes next: arithmetic without a clock.

/** Something that changed the screen, and when. */
export interface PlayEvent {
  readonly sequence: number;
  readonly elapsedMs: number;
}

/** A place worth jumping to: a command or a named point. */
interface Chapter {
  readonly elapsedMs: number;
  readonly label: string;
}

/** The speeds that can be chosen with keys. */
const SPEEDS = [0.25, 0.5, 1, 1.5, 2, 3, 4, 8, 16, 32];

/** The next speed in a direction. */
export function nextSpeed(speed: number, direction: 1 | -1): number {
  const faster = SPEEDS.find((candidate) => candidate > speed);
  const slower = SPEEDS.findLast((candidate) => candidate < speed);
  return (direction === 1 ? faster : slower) ?? speed;
}

/** A jump back goes to the chapter before only from its first moments; else to its beginning. */
const CHAPTER_START_MS = 1000;

/** The chapter to jump to from a place. */
export function nextChapter(
  chapters: readonly Chapter[],
  positionMs: number,
  direction: 1 | -1,
): Chapter | undefined {
  return direction === 1
    ? chapters.find(({ elapsedMs }) => elapsedMs > positionMs)
    : chapters.findLast(({ elapsedMs }) => elapsedMs < positionMs - CHAPTER_START_MS);
}

/** The chapter in which a place is. */
export const chapterAt = (chapters: readonly Chapter[], positionMs: number): Chapter | undefined =>
  chapters.findLast(({ elapsedMs }) => elapsedMs <= positionMs);

/** The index of the first event after a place. */
export function firstAfter(events: readonly PlayEvent[], positionMs: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((events[middle]?.elapsedMs ?? 0) > positionMs) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** How a replay goes on. */
interface Pace {
  readonly speed: number;
  /** Longer times without anything are cut to this. */
  readonly idleLimitMs: number;
}

/** How long to wait for an event, in the time of whoever watches. */
export const waitMs = (fromMs: number, toMs: number, { speed, idleLimitMs }: Pace): number =>
  Math.min(Math.max(0, toMs - fromMs), idleLimitMs) / speed;

/** A place as people read it, such as `1:02:03` or `0:07`. */
export function clockText(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  const [hours, minutes] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60];
  const tail = String(seconds % 60).padStart(2, "0");
  return hours > 0 ? `${hours}:${String(minutes).padStart(2, "0")}:${tail}` : `${minutes}:${tail}`;
}

/** What changes a screen, and what is worth jumping to. */
const TYPES = ["header", "output", "resize", "clear", "exit", "command", "marker"] as const;

/** When what happened in a recording: all of what there is, and what comes while a program runs. */
export class PlayTrack implements Disposable {
  readonly #ending = new AbortController();
  readonly #events: PlayEvent[] = [];
  readonly #chapters: Chapter[] = [];
  #isLive = true;
  #listener: (() => void) | undefined;

  /** Reads what there is of a recording, and goes on reading. */
  static async open(call: QuickCall, id: TerminalId): Promise<PlayTrack> {
    const track = new PlayTrack();
    await track.#read(call, id, false);
    // What cannot be read any more does not come; what there is can be played.
    void track.#read(call, id, true).catch(() => track.#end());
    return track;
  }

  get events(): readonly PlayEvent[] {
    return this.#events;
  }

  get chapters(): readonly Chapter[] {
    return this.#chapters;
  }

  get durationMs(): number {
    return this.#events.at(-1)?.elapsedMs ?? 0;
  }

  /** Whether more may come. */
  get isLive(): boolean {
    return this.#isLive;
  }

  /** Calls back when there is more. */
  onChange(listener: () => void): void {
    this.#listener = listener;
  }

  [Symbol.dispose](): void {
    this.#ending.abort();
  }

  async #read(call: QuickCall, id: TerminalId, isFollowing: boolean): Promise<void> {
    const after = this.#events.at(-1)?.sequence ?? 0;
    const { signal } = this.#ending;
    for await (const entry of followEntries(call, {
      id,
      types: TYPES,
      after,
      isFollowing,
      signal,
    })) {
      const { sequence, elapsedMs } = entry;
      this.#events.push({ sequence, elapsedMs });
      if (entry.type === "command") this.#chapters.push({ elapsedMs, label: entry.commandLine });
      if (entry.type === "marker") this.#chapters.push({ elapsedMs, label: entry.label });
      if (entry.type === "exit") this.#isLive = false;
      this.#listener?.();
    }
    if (isFollowing) this.#end();
  }

  #end(): void {
    this.#isLive = false;
    this.#listener?.();
  }
}
