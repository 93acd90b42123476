const MIB = 1024 * 1024;

/** Bounds per connection; tests lower them. */
export interface ConnectionLimits {
  /** Handed to the network but not taken; more would only wait elsewhere. */
  readonly inFlightBytes: number;
  /** Queued output; beyond it the busiest terminals are resynchronised later. */
  readonly waitingBytes: number;
  /** Queued answers and own effects; beyond it the client is not read from. */
  readonly answerBytes: number;
  /** Queued effects of the client's other connections; beyond it the connection is closed. */
  readonly ownBytes: number;
  /** Below this, terminals that were left out are sent anew. */
  readonly calmBytes: number;
  readonly dispatches: number;
  readonly dispatchBytes: number;
  readonly requests: number;
  /** At a time; each has some megabytes. */
  readonly snapshots: number;
  /** Characters of output in one handshake: serialised in one go, while nobody else has a turn. */
  readonly handshakeLength: number;
  /** Bytes replayed on a reconnect; more becomes a snapshot. */
  readonly replayBytes: number;
  /** Delay before a failed or provisional resync is retried. */
  readonly retellMs: number;
}

export const CONNECTION_LIMITS: ConnectionLimits = {
  inFlightBytes: MIB,
  waitingBytes: 4 * MIB,
  answerBytes: 4 * MIB,
  ownBytes: 32 * MIB,
  calmBytes: MIB / 4,
  dispatches: 4096,
  dispatchBytes: 8 * MIB,
  requests: 256,
  snapshots: 4,
  handshakeLength: 16 * MIB,
  replayBytes: 8 * MIB,
  retellMs: 1000,
};

/** The largest input as JSON. */
export const MAX_MESSAGE_BYTES = 2 * MIB;
