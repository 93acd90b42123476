import type { ScreenFormat } from "@nacre/contracts";
import { QueueBudget } from "./change-queue.ts";
import { DEFAULT_SCROLLBACK_LINES, LiveScreen, type OpenScreen } from "./live-screen.ts";
import { HistoryWorker, type PastScreen } from "./history-worker.ts";
import type { SavedScreen, ScreenPicture } from "./screen-change.ts";
import { SCREEN_WORKER, ScreenWorker } from "./screen-worker.ts";

/** When nobody gets a place for this long because all others are busy, some get one all the same. */
const MAX_WAIT_MS = 1_000;

/** Screens that are parked, or let in beyond the bound, at once. */
const EVICTION_BATCH = 16;

/** Which screens of a thread have an emulator: at most so many, and the one unused for the longest time makes room. */
class EmulatorPool {
  readonly #max: number;
  readonly #live = new Set<LiveScreen>();
  readonly #waiting = new Set<LiveScreen>();
  #isEvicting = false;
  #overflowTimer: NodeJS.Timeout | undefined;

  constructor(max: number) {
    this.#max = max;
  }

  /** Those with an emulator. */
  get live(): readonly LiveScreen[] {
    return [...this.#live];
  }

  /** Gives a screen a place, by waking it, as soon as there is one. */
  acquire(screen: LiveScreen): void {
    this.#waiting.add(screen);
    this.handleIdle();
  }

  /** Takes a place back, or the wish for one. */
  release(screen: LiveScreen): void {
    this.#waiting.delete(screen);
    if (this.#live.delete(screen)) this.handleIdle();
  }

  /** Something has changed: a screen may have time to make room. */
  handleIdle(): void {
    this.#admit(this.#max);
    if (this.#missing > 0) void this.#evict();
    if (this.#waiting.size > 0)
      this.#overflowTimer ??= setTimeout(
        () => this.#admit(this.#live.size + EVICTION_BATCH),
        MAX_WAIT_MS,
      ).unref();
  }

  /** Places that somebody should give back. */
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
      // Parking takes places back, which lets the next ones in.
      const parked = await Promise.all(oldest.map((screen) => screen.suspend()));
      if (!parked.includes(true)) break;
    }
    this.#isEvicting = false;
  }
}

/** An emulator that nobody used for this long is written down and dropped. */
const IDLE_MS = 5_000;

/** Emulators in the memory of a thread; each costs about 200 KB. */
const MAX_LIVE = 256;

/** The thread for the past ends when nobody asked for this long. */
const PAST_IDLE_MS = 10_000;

/** What Screens can be told; everything has a value of its own when absent. */
export interface ScreensOptions {
  /** Threads that draw live screens; 1 when absent. */
  readonly threads?: number;
  /** After how long an unused emulator is dropped. */
  readonly idleMs?: number;
  /** Emulators in the memory of each thread. */
  readonly maxLive?: number;
  /** After how long the thread for the past ends. */
  readonly pastIdleMs?: number;
  /** How long one moment of the past may take to draw. */
  readonly maxDrawMs?: number;
  /** What may wait for all screens together; what does not fit is read again from the recording. */
  readonly maxWaitingBytes?: number;
  /** What runs in the threads; only tests of failing threads have another. */
  readonly workerFile?: URL;
  /** Is told of a thread that ended by itself, or was ended because it took too long; another draws the same screens anew. */
  readonly handleEnd?: (error: Error) => void;
}

interface WorkerSlot {
  readonly lane: ScreenWorker;
  readonly screens: Set<LiveScreen>;
  readonly places: EmulatorPool;
}

/** All Screens: live ones in threads of their own, and moments of the past in another. */
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

  /** Begins the Screen of a Terminal. */
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

  /** Draws one moment of a recording, in a thread apart so that live screens go on. */
  draw({
    format,
    ...past
  }: PastScreen & { readonly format: ScreenFormat }): Promise<ScreenPicture> {
    return this.#history.draw(past, (link) => link.picture(format));
  }

  /** As `draw`; where that is worth it in the end, also everything the screen is made of, to be kept. */
  drawAndSave(
    { format, ...past }: PastScreen & { readonly format: ScreenFormat },
    isWorthSaving: () => boolean,
  ): Promise<{ readonly picture: ScreenPicture; readonly saved?: SavedScreen }> {
    return this.#history.draw(past, async (link) => {
      const picture = await link.picture(format);
      return isWorthSaving() ? { picture, saved: await link.save() } : { picture };
    });
  }

  /** As `draw`, but everything the screen is made of, to be kept as a snapshot of that moment. */
  save(past: PastScreen): Promise<SavedScreen> {
    return this.#history.draw(past, (link) => link.save());
  }

  /** Drops the emulators that nobody used for a while; says how many. */
  async suspendIdle(now = performance.now()): Promise<number> {
    const idle = this.#threads.flatMap(({ places }) =>
      places.live.filter((screen) => now - screen.usedAt >= this.#idleMs),
    );
    const parked = await Promise.all(idle.map((screen) => screen.suspend()));
    return parked.filter(Boolean).length;
  }

  /** How many screens have an emulator in memory. */
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
