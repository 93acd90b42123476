import type { QuickCall } from "@nacre/client/quick";
import type { TerminalId } from "@nacre/contracts";
import { followEntries } from "./follow-entries.ts";
import type { Chapter, PlayEvent } from "./play-times.ts";

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
