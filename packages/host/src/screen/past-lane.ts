import { NacreError, type Size } from "@nacre/contracts";
import { copyOf, DrawingLink } from "./drawing-link.ts";
import { FairTurns, nobodyWaits } from "./fair-turns.ts";
import type { SavedScreen, ScreenChange } from "./screen-change.ts";
import { ScreenLane } from "./screen-lane.ts";

/** Moments that are drawn at the same time, one for each caller; they share the thread in slices of milliseconds. */
const MAX_DRAWS = 8;

/**
 * How long drawing a moment may take, from the beginning of its turn. With a snapshot every 4 MiB it takes a tenth of a
 * second; an imported recording of 100 MB has none, and the slowest screens (1000 by 500 cells) share a busy machine.
 */
const MAX_DRAW_MS = 30_000;

/** Who waits for a moment. */
export interface Requester {
  /** The id of the caller: all its draws take turns with those of others; draws for nobody in particular do so by recording. */
  readonly caller?: string | undefined;
  /** Fires when nobody waits any more: a draw that has no turn yet is dropped, a running one ends behind its slice. */
  readonly signal?: AbortSignal | undefined;
}

/** A moment of a Recording. */
export interface PastScreen {
  readonly recording: string;
  readonly requester?: Requester | undefined;
  /** What to go on from; nothing means an empty screen of `size`. */
  readonly start: SavedScreen | undefined;
  readonly size: Size;
  /** What came after, up to the moment. */
  readonly changes: AsyncIterable<ScreenChange>;
}

/** How moments are drawn. */
export interface PastLaneOptions {
  readonly file: URL;
  readonly handleEnd: (error: Error) => void;
  readonly idleMs: number;
  readonly scrollback: number;
  /** How long a moment may take to draw; `MAX_DRAW_MS` when absent. */
  readonly maxDrawMs?: number | undefined;
}

/** Draws moments of recordings in a thread that is there while it is needed. */
export class PastLane {
  readonly #options: PastLaneOptions;
  readonly #lane: ScreenLane;
  readonly #turns = new FairTurns(MAX_DRAWS);
  /** Ends a moment that is being drawn. */
  readonly #cancels = new Set<(error: Error) => void>();
  #isClosed = false;
  #rest: NodeJS.Timeout | undefined;

  constructor(options: PastLaneOptions) {
    this.#options = options;
    this.#lane = new ScreenLane(options.file, options.handleEnd);
  }

  /** Draws a moment and asks about it. */
  async draw<Result>(
    past: PastScreen,
    ask: (link: DrawingLink) => Promise<Result>,
  ): Promise<Result> {
    clearTimeout(this.#rest);
    const { recording, requester } = past;
    const caller = requester?.caller;
    const group = caller === undefined ? `recording ${recording}` : `caller ${caller}`;
    await this.#turns.begin(group, requester?.signal);
    try {
      if (this.#isClosed) throw closed();
      return await this.#lane.hold(this.#draw(past, ask));
    } finally {
      this.#turns.end(group);
      this.#restLater();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel(closed());
    this.#turns.beginAll();
    clearTimeout(this.#rest);
    await this.#lane.close();
  }

  async #draw<Result>(
    { start, size, changes, requester }: PastScreen,
    ask: (link: DrawingLink) => Promise<Result>,
  ): Promise<Result> {
    const { scrollback } = this.#options;
    const failed = Promise.withResolvers<never>();
    const fail = (code: "internal" | "unavailable", message: string): void =>
      failed.reject(new NacreError(code, message));
    const link = new DrawingLink({
      lane: this.#lane,
      handleRefused: (message) => fail("internal", `the saved screen cannot be read: ${message}`),
      // Whoever asks again gets another thread; it may have been another's moment that ended this one.
      handleLost: () => fail("unavailable", "the thread that drew this moment ended"),
    });
    // Whoever loses the race below is not waited for.
    failed.promise.catch(() => undefined);
    this.#cancels.add(failed.reject);
    const leave = (): void => failed.reject(nobodyWaits());
    requester?.signal?.addEventListener("abort", leave, { once: true });
    const { maxDrawMs = MAX_DRAW_MS } = this.#options;
    const limit = setTimeout(() => failed.reject(tooLong(maxDrawMs)), maxDrawMs);
    try {
      if (requester?.signal?.aborted) throw nobodyWaits();
      link.open({ size, scrollback, saved: start, isLive: false, skips: [] });
      return await Promise.race([failed.promise, this.#feed(link, changes).then(() => ask(link))]);
    } finally {
      clearTimeout(limit);
      requester?.signal?.removeEventListener("abort", leave);
      this.#cancels.delete(failed.reject);
      link.close();
    }
  }

  async #feed(link: DrawingLink, changes: AsyncIterable<ScreenChange>): Promise<void> {
    for await (const change of changes) {
      await link.room();
      if (link.isOver) return;
      link.send(copyOf(change));
    }
  }

  #restLater(): void {
    if (this.#turns.running > 0 || this.#isClosed) return;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.#lane.rest(), this.#options.idleMs).unref();
  }
}

const tooLong = (maxDrawMs: number): NacreError =>
  new NacreError("timeout", `drawing this moment took longer than ${maxDrawMs} ms`, {
    field: "at",
    suggestion: "Ask for another moment, or read the output of this recording instead.",
  });

const closed = (): NacreError => new NacreError("unavailable", "all screens were closed");
