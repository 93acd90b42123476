/** The clock on the wall and the one that never jumps, so that tests can have their own. */
export interface Timers {
  /** Unix ms. */
  now(): number;
  /** Calls once after a time, unless what it returns is called before. */
  after(delayMs: number, run: () => void): () => void;
}

/** The clocks of the system; waiting for a time keeps no process alive. */
export const SYSTEM_TIMERS: Timers = {
  now: () => Date.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs);
    timer.unref();
    return () => clearTimeout(timer);
  },
};
