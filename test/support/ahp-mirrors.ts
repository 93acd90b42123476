import {
  type Envelope,
  reduceRoot,
  reduceTerminal,
  type RootState,
  type Snapshot,
  type TerminalState,
} from "./ahp-mirror.ts";

/** What an answer may bring of states and of missed actions, whatever it answers. */
interface Brought {
  readonly serverSeq?: number;
  readonly snapshot?: Snapshot;
  readonly snapshots?: readonly Snapshot[];
  readonly actions?: readonly Envelope[];
}

/** The channels of one client as it knows them, kept over its connections. Rejected actions change nothing. */
export class Mirrors {
  readonly #states = new Map<string, TerminalState | RootState>();
  /** The greatest number it knows of: what a reconnecting client says it has seen. */
  lastSeenServerSeq = 0;

  /** The state of a channel; undefined when it was never subscribed to. */
  find(channel: string): TerminalState | RootState | undefined {
    return this.#states.get(channel);
  }

  /** Takes in an action; does not compare its number with that of the state, as official clients do not. */
  apply({ channel, action, serverSeq, rejectionReason }: Envelope): void {
    this.#see(serverSeq);
    const state = this.#states.get(channel);
    if (!state || rejectionReason !== undefined) return;
    const next = "agents" in state ? reduceRoot(state, action) : reduceTerminal(state, action);
    this.#states.set(channel, next);
  }

  /** Takes in the states and missed actions of an answer. */
  absorb(result: unknown): void {
    const { serverSeq = 0, snapshot, snapshots = [], actions = [] } = (result ?? {}) as Brought;
    for (const { resource, state, fromSeq } of snapshot ? [snapshot] : snapshots) {
      this.#states.set(resource, state);
      this.#see(fromSeq);
    }
    this.#see(serverSeq);
    for (const envelope of actions) this.apply(envelope);
  }

  #see(serverSeq: number): void {
    this.lastSeenServerSeq = Math.max(this.lastSeenServerSeq, serverSeq);
  }
}
