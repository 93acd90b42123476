import type { TerminalAction } from "../../protocol/action.ts";
import { reduceTerminal } from "../../protocol/reducer.ts";
import type { TerminalState } from "../../protocol/state.ts";

/** An envelope as a client reads it. */
export interface ReadEnvelope {
  readonly channel: string;
  readonly serverSeq: number;
  readonly action: TerminalAction;
  readonly origin?: { readonly clientId: string; readonly clientSeq: number };
  readonly rejectionReason?: string;
}

interface ReadSnapshot {
  readonly resource: string;
  readonly state: TerminalState;
  readonly fromSeq: number;
}

/** What answers have that mirrors are made of. */
interface ReadResult {
  readonly snapshot?: ReadSnapshot;
  readonly snapshots?: readonly ReadSnapshot[];
  readonly actions?: readonly ReadEnvelope[];
}

/** What a client knows, over all its connections. */
export class Mirrors {
  readonly states = new Map<string, TerminalState>();
  readonly envelopes: ReadEnvelope[] = [];
  lastSeen = 0;
  /** What came out of order or twice. */
  readonly faults: string[] = [];

  take(params: unknown): void {
    const envelope = params as ReadEnvelope;
    if (envelope.serverSeq <= this.lastSeen) {
      this.faults.push(`${envelope.serverSeq} after ${this.lastSeen}`);
    }
    this.lastSeen = envelope.serverSeq;
    this.envelopes.push(envelope);
    const state = this.states.get(envelope.channel);
    if (!state || envelope.rejectionReason !== undefined) return;
    this.states.set(envelope.channel, reduceTerminal(state, envelope.action, "lifecycle"));
  }

  takeResult(result: unknown): void {
    const { snapshot, snapshots = [], actions = [] } = (result ?? {}) as ReadResult;
    for (const { resource, state, fromSeq } of [...(snapshot ? [snapshot] : []), ...snapshots]) {
      this.states.set(resource, state);
      this.lastSeen = Math.max(this.lastSeen, fromSeq);
    }
    for (const envelope of actions) this.take(envelope);
  }
}
