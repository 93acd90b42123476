/** The time and waiting for it, so that tests can have their own. */
export interface Clock {
  /** Unix ms, by the clock on the wall. */
  now(): number;
  /** Milliseconds by a clock that never jumps: durations are measured by it. */
  monotonicMs(): number;
  /** Calls once after a time, unless what it returns is called before. */
  after(delayMs: number, run: () => void): () => void;
}

/** The clock of the system; its timers keep no process alive. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
