export interface ControlLimits {
  /** Started within any second; more wait. */
  readonly requestsPerSecond: number;
  /** Running at once; more wait. */
  readonly maxRunning: number;
  /** Taken and waiting; beyond this, files stay where they are. */
  readonly maxWaiting: number;
  /** A file written in place counts once it was unchanged for this long. */
  readonly stableMs: number;
  /** An incomplete JSON object is answered once it was unchanged for this long: its writer may only be slow. */
  readonly incompleteMs: number;
  /** Poll interval: inotify misses changes on some file systems. */
  readonly pollMs: number;
  /** Kept in `requests/`. */
  readonly maxAnswers: number;
  /**
   * How long `status.json` claims to be served; renewed three times as often, so that a busy machine does not look
   * dead.
   */
  readonly leaseMs: number;
}

export const DEFAULT_CONTROL_LIMITS: ControlLimits = {
  requestsPerSecond: 20,
  maxRunning: 64,
  maxWaiting: 64,
  stableMs: 50,
  incompleteMs: 1000,
  pollMs: 200,
  maxAnswers: 1024,
  leaseMs: 30_000,
};

/** Input comes in pieces, and files are named by path. */
export const MAX_CONTROL_FILE_BYTES = 256 * 1024;
