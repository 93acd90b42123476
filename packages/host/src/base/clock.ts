/** Injectable time. */
export interface Clock {
  /** Unix ms; may jump. */
  now(): number;
  /** Never jumps; for durations. */
  monotonicMs(): number;
  /** Returns a cancel function. */
  after(delayMs: number, run: () => void): () => void;
}

/** Its timers do not keep the process alive. */
export const SYSTEM_CLOCK: Clock = {
  now: () => Date.now(),
  monotonicMs: () => performance.now(),
  after: (delayMs, run) => {
    const timer = setTimeout(run, delayMs).unref();
    return () => clearTimeout(timer);
  },
};
