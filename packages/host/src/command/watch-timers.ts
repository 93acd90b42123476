/** The clock and the timers of a watch; a test passes its own. */
export interface WatchTimers {
  /** Milliseconds by a clock that never jumps. */
  now(): number;
  /** Calls back once, unless what it returns is disposed of before. */
  after(delayMs: number, callback: () => void): Disposable;
}

/** Real time; a timer that waits keeps no process alive. */
export const SYSTEM_WATCH_TIMERS: WatchTimers = {
  now: () => performance.now(),
  after: (delayMs, callback) => setTimeout(callback, delayMs).unref(),
};
