import type { NacreClient } from "@nacre/client";
import {
  type Chapter,
  chapterAt,
  chapterSpot,
  type Extent,
  Player,
  type PlayerScreen,
  type PlayerState,
  type RecordingSource,
  recordingSource,
  type Spot,
} from "@nacre/client/ui";
import type { TerminalId } from "@nacre/contracts";
import { computed, signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";

/** A recording that still grows is looked at this often. */
const GROWTH_MS = 2000;

/** A player on a page: what it shows as signals, and a frame for each picture of the browser. */
export class Playback implements Disposable {
  readonly extent = signal<Extent | undefined>(undefined);
  readonly chapters = signal<readonly Chapter[]>([]);
  readonly state = signal<PlayerState | undefined>(undefined);
  /** Why there is nothing to play. */
  readonly problem = signal<unknown>(undefined);
  /** The index of the chapter that is played; -1 before the first. */
  readonly chapter = computed(() =>
    chapterAt(this.chapters.value, this.state.value?.positionMs ?? 0),
  );
  readonly #source: RecordingSource;
  readonly #gone = new AbortController();
  #player: Player | undefined;
  #growth: ReturnType<typeof setInterval> | undefined;

  constructor(source: RecordingSource) {
    this.#source = source;
  }

  /** The player, once the recording is known. */
  get player(): Player | undefined {
    return this.#player;
  }

  /** Reads what there is to play. */
  async load(): Promise<void> {
    const { signal: gone } = this.#gone;
    try {
      this.extent.value = await this.#source.readExtent(gone);
      this.chapters.value = await this.#source.readChapters(gone);
    } catch (error) {
      if (!gone.aborted) this.problem.value = error;
    }
  }

  /** Begins to draw on a screen; `load` comes first. */
  begin(screen: PlayerScreen, start: Spot): void {
    const { durationMs = 0, isEnded = true } = this.extent.value ?? {};
    if (this.#gone.signal.aborted) return;
    this.#player?.[Symbol.dispose]();
    const player = new Player({
      source: this.#source,
      screen,
      durationMs,
      handleChange: (state) => {
        this.state.value = state;
      },
    });
    this.#player = player;
    player.seekTo(start);
    requestAnimationFrame((now) => this.#frame(player, now));
    if (!isEnded) this.#growth ??= setInterval(() => void this.#grow(), GROWTH_MS);
  }

  /** Resolves when the screen of the moment is given to be drawn. */
  shown(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = this.state.subscribe((state) => {
      if (state?.isWaiting === false) resolve();
    });
    return promise.finally(end);
  }

  /** Stops drawing; what is known of the recording stays. */
  end(): void {
    clearInterval(this.#growth);
    this.#growth = undefined;
    this.#player?.[Symbol.dispose]();
    this.#player = undefined;
    this.state.value = undefined;
  }

  /** Goes to the beginning of the next or the last chapter; without one, to an end of the recording. */
  turn(direction: 1 | -1): void {
    const player = this.#player;
    player?.seekTo(chapterSpot(this.chapters.value, player.state, direction));
  }

  [Symbol.dispose](): void {
    this.#gone.abort();
    this.end();
  }

  #frame(player: Player, now: number): void {
    if (player !== this.#player) return;
    player.tick(now);
    requestAnimationFrame((next) => this.#frame(player, next));
  }

  async #grow(): Promise<void> {
    if (document.hidden) return;
    const { signal: gone } = this.#gone;
    try {
      const extent = await this.#source.readExtent(gone);
      const chapters = await this.#source.readChapters(gone);
      if (gone.aborted) return;
      this.extent.value = extent;
      this.chapters.value = chapters;
      this.#player?.setDuration(extent.durationMs);
      if (!extent.isEnded) return;
      clearInterval(this.#growth);
      this.#growth = undefined;
    } catch {
      // The host may be back at the next look; what is there can be played meanwhile.
    }
  }
}

/** The playback of a recording, for as long as a view shows it. */
export function usePlayback(client: NacreClient, id: TerminalId): Playback {
  const playback = useMemo(
    () => new Playback(recordingSource(client, { id, format: "ansi" })),
    [client, id],
  );
  useEffect(() => () => playback[Symbol.dispose](), [playback]);
  return playback;
}
