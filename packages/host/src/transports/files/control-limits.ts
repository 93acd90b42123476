/** How much one control directory does, and how long it waits. */
export interface ControlLimits {
  /** Requests that begin within any second; more wait. */
  readonly requestsPerSecond: number;
  /** Requests that run at the same time; more wait. */
  readonly maxRunning: number;
  /** Requests that were taken and wait; beyond this, files are left where they are until there is room. */
  readonly maxWaiting: number;
  /** A file that is written in place counts once it did not change for this long. */
  readonly stableMs: number;
  /** A file that is no whole JSON object is answered once it did not change for this long: its writer may only be slow. */
  readonly incompleteMs: number;
  /** How often files are looked at when nothing tells of a change: watching misses some on some file systems. */
  readonly pollMs: number;
  /** Answers that are kept in `requests/`. */
  readonly maxAnswers: number;
  /** For how long `status.json` says that somebody serves; said again three times as often, so that a busy machine does not look dead. */
  readonly leaseMs: number;
}

/** What holds where nothing else is said. */
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

/** A larger control file is refused: what is typed comes in pieces, and files are named by their path. */
export const MAX_CONTROL_FILE_BYTES = 256 * 1024;
