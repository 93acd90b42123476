import { NacreError, type Size } from "@nacre/contracts";
import { copyChange, ReplicaClient } from "./replica-client.ts";
import { FairSemaphore, nobodyWaits } from "../base/fair-semaphore.ts";
import type { SavedScreen, ScreenChange } from "./screen-change.ts";
import { ScreenWorker } from "./screen-worker.ts";

/** One per caller; they share the thread in slices of milliseconds. */
const MAX_DRAWS = 8;

/**
 * From the beginning of its turn. With a snapshot every 4 MiB a draw takes a tenth of a second; an imported recording
 * of 100 MB has none, and the slowest screens (1000 by 500 cells) share a busy machine.
 */
const MAX_DRAW_MS = 30_000;

export interface DrawRequester {
  /** Draws of one caller take turns with those of others; without a caller, draws take turns by recording. */
  readonly caller?: string | undefined;
  /** Drops a draw that has no turn yet; a running one ends after its slice. */
  readonly signal?: AbortSignal | undefined;
}

export interface PastScreen {
  readonly recording: string;
  readonly requester?: DrawRequester | undefined;
  /** Undefined: an empty screen of `size`. */
  readonly start: SavedScreen | undefined;
  readonly size: Size;
  /** Up to the moment. */
  readonly changes: AsyncIterable<ScreenChange>;
}

export interface HistoryWorkerOptions {
  readonly file: URL;
  readonly handleEnd: (error: Error) => void;
  readonly idleMs: number;
  readonly scrollback: number;
  /** Defaults to `MAX_DRAW_MS`. */
  readonly maxDrawMs?: number | undefined;
}

/** Draws moments of recordings in a worker that runs only while needed. */
export class HistoryWorker {
  readonly #options: HistoryWorkerOptions;
  readonly #worker: ScreenWorker;
  readonly #semaphore = new FairSemaphore(MAX_DRAWS);
  readonly #cancels = new Set<(error: Error) => void>();
  #isClosed = false;
  #idleTimer: NodeJS.Timeout | undefined;

  constructor(options: HistoryWorkerOptions) {
    this.#options = options;
    this.#worker = new ScreenWorker(options.file, options.handleEnd);
  }

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
      // A retry gets another worker; another caller's moment may have ended this one.
      handleLost: () => fail("unavailable", "the thread that drew this moment ended"),
    });
    // The loser of the race below must not become an unhandled rejection.
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
