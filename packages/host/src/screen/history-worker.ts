import { NacreError, type Size } from "@nacre/contracts";
import { copyChange, ReplicaClient } from "./replica-client.ts";
import { FairSemaphore, nobodyWaits } from "../base/fair-semaphore.ts";
import type { SavedScreen, ScreenChange } from "./screen-change.ts";
import { ScreenWorker } from "./screen-worker.ts";

/** Moments that are drawn at the same time, one for each caller; they share the thread in slices of milliseconds. */
const MAX_DRAWS = 8;

/**
 * How long drawing a moment may take, from the beginning of its turn. With a snapshot every 4 MiB it takes a tenth of a
 * second; an imported recording of 100 MB has none, and the slowest screens (1000 by 500 cells) share a busy machine.
 */
const MAX_DRAW_MS = 30_000;

/** Who waits for a moment. */
export interface DrawRequester {
  /** The id of the caller: all its draws take turns with those of others; draws for nobody in particular do so by recording. */
  readonly caller?: string | undefined;
  /** Fires when nobody waits any more: a draw that has no turn yet is dropped, a running one ends behind its slice. */
  readonly signal?: AbortSignal | undefined;
}

/** A moment of a Recording. */
export interface PastScreen {
  readonly recording: string;
  readonly requester?: DrawRequester | undefined;
  /** What to go on from; nothing means an empty screen of `size`. */
  readonly start: SavedScreen | undefined;
  readonly size: Size;
  /** What came after, up to the moment. */
  readonly changes: AsyncIterable<ScreenChange>;
}

export interface HistoryWorkerOptions {
  readonly file: URL;
  readonly handleEnd: (error: Error) => void;
  readonly idleMs: number;
  readonly scrollback: number;
  /** How long a moment may take to draw; `MAX_DRAW_MS` when absent. */
  readonly maxDrawMs?: number | undefined;
}

/** Draws moments of recordings in a thread that is there while it is needed. */
export class HistoryWorker {
  readonly #options: HistoryWorkerOptions;
  readonly #worker: ScreenWorker;
  readonly #semaphore = new FairSemaphore(MAX_DRAWS);
  /** Ends a moment that is being drawn. */
  readonly #cancels = new Set<(error: Error) => void>();
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: HistoryWorkerOptions) {
    this.#options = options;
    this.#worker = new ScreenWorker(options.file, options.handleEnd);
  }

  /** Draws a moment and asks about it. */
  async draw<Result>(
    past: PastScreen,
    ask: (link: ReplicaClient) => Promise<Result>,
  ): Promise<Result> {
    clearTimeout(this.#idleTimer);
    const { recording, requester } = past;
    const caller = requester?.caller;
    const group = caller === undefined ? `recording ${recording}` : `caller ${caller}`;
    await this.#semaphore.acquire(group, { signal: requester?.signal });
    try {
      if (this.#isClosed) throw closedError();
      return await this.#worker.keepAlive(this.#draw(past, ask));
    } finally {
      this.#semaphore.release(group);
      this.#stopWhenIdle();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const cancel of this.#cancels) cancel(closedError());
    this.#semaphore.releaseAll();
    clearTimeout(this.#idleTimer);
    await this.#worker.close();
  }

  async #draw<Result>(
    { start, size, changes, requester }: PastScreen,
    ask: (link: ReplicaClient) => Promise<Result>,
  ): Promise<Result> {
    const { scrollback } = this.#options;
    const failed = Promise.withResolvers<never>();
    const fail = (code: "internal" | "unavailable", message: string): void =>
      failed.reject(new NacreError(code, message));
    const link = new ReplicaClient({
      worker: this.#worker,
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
    const limit = setTimeout(() => failed.reject(drawTimeout(maxDrawMs)), maxDrawMs);
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

  async #feed(link: ReplicaClient, changes: AsyncIterable<ScreenChange>): Promise<void> {
    for await (const change of changes) {
      await link.waitForRoom();
      if (link.isOver) return;
      link.send(copyChange(change));
    }
  }

  #stopWhenIdle(): void {
    if (this.#semaphore.running > 0 || this.#isClosed) return;
    clearTimeout(this.#idleTimer);
    this.#idleTimer = setTimeout(() => void this.#worker.stop(), this.#options.idleMs).unref();
  }
}

const drawTimeout = (maxDrawMs: number): NacreError =>
  new NacreError("timeout", `drawing this moment took longer than ${maxDrawMs} ms`, {
    field: "at",
    suggestion: "Ask for another moment, or read the output of this recording instead.",
  });

const closedError = (): NacreError => new NacreError("unavailable", "all screens were closed");
