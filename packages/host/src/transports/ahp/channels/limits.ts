const KIB = 1024;
const MIB = 1024 * KIB;

/** What channels and clients may make the host hold; tests lower them. */
export interface ChannelLimits {
  /** Bytes of envelopes that one channel keeps for clients that come back. */
  readonly historyBytes: number;
  /** Bytes of envelopes that all channels keep together, by lowering the share of each. */
  readonly allHistoryBytes: number;
  /** No channel keeps less than this, however many there are. */
  readonly leastHistoryBytes: number;
  /** Bytes of lists that a root keeps; the newest list alone is enough for who comes back. */
  readonly rootHistoryBytes: number;
  /** Bytes of rejections and corrections that are kept for one client. */
  readonly ownHistoryBytes: number;
  /** A channel that nobody is subscribed to is kept this long for who comes back. */
  readonly channelMs: number;
  /** A channel that nobody can come back to is kept this long for who just opened it. */
  readonly lingerMs: number;
  /** Lists of terminals are told no more often than this. */
  readonly rootMs: number;
  /** Clients without a connection are remembered this long. */
  readonly clientMs: number;
  /** How many clients are remembered. */
  readonly clients: number;
  /** A feed that failed is opened again after this. */
  readonly retryMs: number;
}

/** The limits of every host. */
export const CHANNEL_LIMITS: ChannelLimits = {
  historyBytes: 2 * MIB,
  allHistoryBytes: 128 * MIB,
  leastHistoryBytes: 64 * KIB,
  rootHistoryBytes: 256 * KIB,
  ownHistoryBytes: 256 * KIB,
  channelMs: 10 * 60 * 1000,
  lingerMs: 10 * 1000,
  rootMs: 100,
  clientMs: 60 * 60 * 1000,
  clients: 1024,
  retryMs: 1000,
};
