import { NacreError, type Size } from "@nacre/contracts";
import { copyOf, DrawingLink } from "./drawing-link.ts";
import type { SavedScreen, ScreenChange } from "./screen-change.ts";
import { ScreenLane } from "./screen-lane.ts";

/** Moments that are drawn at the same time; others wait for their turn. */
const MAX_DRAWS = 4;

/** A moment of a Recording. */
export interface PastScreen {
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
}

/** Draws moments of recordings in a thread that is there while it is needed. */
export class PastLane {
  readonly #options: PastLaneOptions;
  readonly #lane: ScreenLane;
  readonly #waiting: (() => void)[] = [];
  /** Ends a moment that is being drawn. */
  readonly #cancels = new Set<(error: Error) => void>();
  #isClosed = false;
  #running = 0;
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
    await this.#begin();
    try {
      if (this.#isClosed) throw closed();
      return await this.#lane.hold(this.#draw(past, ask));
    } finally {
      this.#end();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel(closed());
    for (const begin of this.#waiting.splice(0)) begin();
    clearTimeout(this.#rest);
    await this.#lane.close();
  }

  async #draw<Result>(
    { start, size, changes }: PastScreen,
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
    try {
      link.open({ size, scrollback, saved: start, isLive: false, skips: [] });
      return await Promise.race([failed.promise, this.#feed(link, changes).then(() => ask(link))]);
    } finally {
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

  async #begin(): Promise<void> {
    clearTimeout(this.#rest);
    if (this.#running >= MAX_DRAWS) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    }
    this.#running++;
  }

  #end(): void {
    this.#running--;
    this.#waiting.shift()?.();
    if (this.#running > 0 || this.#isClosed) return;
    clearTimeout(this.#rest);
    this.#rest = setTimeout(() => void this.#lane.rest(), this.#options.idleMs).unref();
  }
}

const closed = (): NacreError => new NacreError("unavailable", "all screens were closed");
