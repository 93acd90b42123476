const MIB = 1024 * 1024;

/** What one connection may make the host hold and do; tests lower them. */
export interface ConnectionLimits {
  /** Bytes handed to the network that it has not taken yet; more would only wait elsewhere. */
  readonly inFlightBytes: number;
  /** Bytes of terminals that wait for the network; beyond them the busiest terminals are told anew later. */
  readonly waitingBytes: number;
  /** Bytes of answers and of what the client itself brought about that wait; beyond them the client is not read from. */
  readonly answerBytes: number;
  /** Bytes of what other connections of the client brought about; beyond them the connection is given up. */
  readonly ownBytes: number;
  /** Terminals that were left out are told anew once no more than this is under way. */
  readonly calmBytes: number;
  /** Actions that wait for their turn. */
  readonly dispatches: number;
  readonly dispatchBytes: number;
  /** Requests that are not answered yet; some of them wait for a terminal. */
  readonly requests: number;
  /** Snapshots that are prepared at a time, each some megabytes. */
  readonly snapshots: number;
  /** Characters of output in the snapshots of one handshake: they are spelled in one go, and nobody else has a turn meanwhile. */
  readonly handshakeLength: number;
  /** What is sent again to who comes back; a larger piece of the past is a snapshot instead. */
  readonly replayBytes: number;
  /** What could not be told anew, or only provisionally, is tried again after this. */
  readonly retellMs: number;
}

/** The limits of every connection. */
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

/** One message of a client: the largest input, spelled as JSON. */
export const MAX_MESSAGE_BYTES = 2 * MIB;
