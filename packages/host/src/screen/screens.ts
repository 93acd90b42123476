import type { ScreenFormat } from "@nacre/contracts";
import { QueueBudget } from "./change-queue.ts";
import { DEFAULT_SCROLLBACK_LINES, LiveScreen, type OpenScreen } from "./live-screen.ts";
import { HistoryWorker, type PastScreen } from "./history-worker.ts";
import type { SavedScreen, ScreenPicture } from "./screen-change.ts";
import { SCREEN_WORKER, ScreenWorker } from "./screen-worker.ts";

/** After waiting this long because all emulators are busy, some screens are let in beyond the bound. */
const MAX_WAIT_MS = 1_000;

/** Screens suspended, or let in beyond the bound, at once. */
const EVICTION_BATCH = 16;

/** Bounds the emulators of a worker; the least recently used one makes room. */
class EmulatorPool {
  readonly #max: number;
  readonly #live = new Set<LiveScreen>();
  readonly #waiting = new Set<LiveScreen>();
  #isEvicting = false;
  #overflowTimer: NodeJS.Timeout | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  get live(): readonly LiveScreen[] {
    return [...this.#live];
  }

  /** Resumes the screen as soon as there is room. */
  acquire(screen: LiveScreen): void {
    this.#waiting.add(screen);
    this.handleIdle();
  }

  /** Also withdraws a pending request. */
  release(screen: LiveScreen): void {
    this.#waiting.delete(screen);
    if (this.#live.delete(screen)) this.handleIdle();
  }

  /** A screen may be able to make room now. */
  handleIdle(): void {
    this.#admit(this.#max);
    if (this.#missing > 0) void this.#evict();
    if (this.#waiting.size > 0)
      this.#overflowTimer ??= setTimeout(
        () => this.#admit(this.#live.size + EVICTION_BATCH),
        MAX_WAIT_MS,
      ).unref();
  }

  /** How many emulators should be released. */
  get #missing(): number {
    return this.#waiting.size + Math.max(0, this.#live.size - this.#max);
  }

  #admit(max: number): void {
    for (const screen of this.#waiting) {
      if (this.#live.size >= max) break;
      this.#waiting.delete(screen);
      this.#live.add(screen);
      clearTimeout(this.#overflowTimer);
      this.#overflowTimer = undefined;
      screen.resume();
    }
  }

  async #evict(): Promise<void> {
    if (this.#isEvicting) return;
    this.#isEvicting = true;
    while (this.#missing > 0) {
      const oldest = [...this.#live]
        .filter((screen) => screen.isIdle)
        .toSorted((one, other) => one.usedAt - other.usedAt)
        .slice(0, Math.min(EVICTION_BATCH, this.#missing));
      // Suspending releases places, which lets the next ones in.
      const parked = await Promise.all(oldest.map((screen) => screen.suspend()));
      if (!parked.includes(true)) break;
    }
    this.#isEvicting = false;
  }
}

/** An emulator that nobody used for this long is written down and dropped. */
const IDLE_MS = 5_000;

/** Emulators per worker; each costs about 200 KB. */
const MAX_LIVE = 256;

/** Idle time after which the worker for the past ends. */
const PAST_IDLE_MS = 10_000;

export interface ScreensOptions {
  /** Workers for live screens; default 1. */
  readonly threads?: number;
  /** Idle time after which an emulator is dropped. */
  readonly idleMs?: number;
  /** Emulators per worker. */
  readonly maxLive?: number;
  /** Idle time after which the worker for the past ends. */
  readonly pastIdleMs?: number;
  /** Time limit for one moment of the past. */
  readonly maxDrawMs?: number;
  /** Queued for all screens together; the rest is read again from the recording. */
  readonly maxWaitingBytes?: number;
  /** Only tests of failing workers set it. */
  readonly workerFile?: URL;
  /** A worker crashed or was terminated; another one draws the same screens anew. */
  readonly handleEnd?: (error: Error) => void;
}

interface WorkerSlot {
  readonly lane: ScreenWorker;
  readonly screens: Set<LiveScreen>;
  readonly places: EmulatorPool;
}

/** Live screens in workers of their own, moments of the past in another. */
export class Screens implements AsyncDisposable {
  readonly #threads: readonly WorkerSlot[];
  readonly #history: HistoryWorker;
  readonly #budget: QueueBudget;
  readonly #idleMs: number;
  readonly #timer: NodeJS.Timeout;

  constructor(options: ScreensOptions = {}) {
    const file = options.workerFile ?? SCREEN_WORKER;
    const handleEnd = (error: Error): void => options.handleEnd?.(error);
    this.#budget = new QueueBudget(options.maxWaitingBytes);
    this.#threads = Array.from({ length: options.threads ?? 1 }, () => ({
      lane: new ScreenWorker(file, handleEnd),
      screens: new Set(),
      places: new EmulatorPool(options.maxLive ?? MAX_LIVE),
    }));
    this.#history = new HistoryWorker({
      file,
      handleEnd,
      idleMs: options.pastIdleMs ?? PAST_IDLE_MS,
      scrollback: DEFAULT_SCROLLBACK_LINES,
      maxDrawMs: options.maxDrawMs,
    });
    this.#idleMs = options.idleMs ?? IDLE_MS;
    this.#timer = setInterval(() => void this.suspendIdle(), this.#idleMs / 2).unref();
  }

  open(options: OpenScreen): LiveScreen {
    const thread = this.#threads.reduce((best, other) =>
      other.screens.size < best.screens.size ? other : best,
    );
    const screen: LiveScreen = new LiveScreen(options, {
      worker: thread.lane,
      budget: this.#budget,
      pool: thread.places,
      handleDisposed: () => thread.screens.delete(screen),
    });
    thread.screens.add(screen);
    return screen;
  }

  /** One moment of a recording; live screens are not delayed. */
  draw({
    format,
    ...past
  }: PastScreen & { readonly format: ScreenFormat }): Promise<ScreenPicture> {
    return this.#history.draw(past, (link) => link.picture(format));
  }

  /** Like `draw`; also returns a snapshot where that proved worth keeping. */
  drawAndSave(
    { format, ...past }: PastScreen & { readonly format: ScreenFormat },
    isWorthSaving: () => boolean,
  ): Promise<{ readonly picture: ScreenPicture; readonly saved?: SavedScreen }> {
    return this.#history.draw(past, async (link) => {
      const picture = await link.picture(format);
      return isWorthSaving() ? { picture, saved: await link.save() } : { picture };
    });
  }

  /** Like `draw`, but returns a snapshot of that moment. */
  save(past: PastScreen): Promise<SavedScreen> {
    return this.#history.draw(past, (link) => link.save());
  }

  /** Returns how many were dropped. */
  async suspendIdle(now = performance.now()): Promise<number> {
    const idle = this.#threads.flatMap(({ places }) =>
      places.live.filter((screen) => now - screen.usedAt >= this.#idleMs),
    );
    const parked = await Promise.all(idle.map((screen) => screen.suspend()));
    return parked.filter(Boolean).length;
  }

  get liveCount(): number {
    return this.#threads.reduce((sum, { places }) => sum + places.live.length, 0);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearInterval(this.#timer);
    for (const { screens } of this.#threads) {
      for (const screen of screens) screen[Symbol.dispose]();
    }
    await Promise.all([this.#history.close(), ...this.#threads.map(({ lane }) => lane.close())]);
  }
}
