/** How much of everything is done. */
export interface DaemonPlan {
  /** Secrets that are given at a random moment, in each shell. */
  readonly timings: number;
  /** Connections that are broken. */
  readonly disconnects: number;
  /** What is written while viewers stall. */
  readonly floodBytes: number;
  /** Parts of one WebSocket message. */
  readonly fragments: number;
  /** Pings without a pause. */
  readonly pings: number;
  /** Levels of a JSON value. */
  readonly jsonDepth: number;
  /** Connections that say nothing. */
  readonly silentSockets: number;
  /** How often the whole set of attacks is made. */
  readonly rounds: number;
  /** How often that is done before anything is measured: until all code was run often enough that its memory has been grown. */
  readonly warmUpRounds: number;
  /** Terminals that write while the daemon is told to end. */
  readonly busyTerminals: number;
  /** Whether times and memory must keep to their targets, which says nothing on a busy machine. */
  readonly isJudged: boolean;
}

/** The whole suite. */
export const FULL_PLAN: DaemonPlan = {
  timings: 200,
  disconnects: 10_000,
  floodBytes: 1024 ** 3,
  fragments: 1_000_000,
  pings: 100_000,
  jsonDepth: 5_000_000,
  silentSockets: 2000,
  rounds: 10,
  warmUpRounds: 5,
  busyTerminals: 40,
  isJudged: true,
};

/** Enough to see that everything is right. */
export const SHORT_PLAN: DaemonPlan = {
  timings: 9,
  disconnects: 300,
  floodBytes: 60 * 1024 ** 2,
  fragments: 100_000,
  pings: 10_000,
  jsonDepth: 5_000_000,
  silentSockets: 300,
  rounds: 1,
  warmUpRounds: 1,
  busyTerminals: 8,
  isJudged: false,
};

/** Bytes in words. */
export const megabytes = (bytes: number): string => `${(bytes / 1024 ** 2).toFixed(1)} MB`;
