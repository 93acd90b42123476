import type { TerminalId } from "@nacre/contracts";
import type { StoreReader, Usage } from "../store/store.ts";

/** How long and how much is kept; what is absent has no limit. */
export interface RetentionPolicy {
  readonly maxAgeMs?: number;
  /** Data of one recording, beyond which its oldest entries go. */
  readonly maxTerminalBytes?: number;
  /** Data of all recordings together, beyond which ended terminals go, oldest first, then the oldest entries of others. */
  readonly maxTotalBytes?: number;
}

/** Why something goes. */
type RemovalReason = "age" | "terminalBytes" | "totalBytes";

/** What is to be removed: an ended terminal as a whole, or the oldest entries of one. */
export interface Removal {
  readonly terminalId: TerminalId;
  readonly reason: RemovalReason;
  readonly throughSequence: number;
  readonly whole: boolean;
}

/** Decides what has to go; running terminals keep their newest entry. */
export function planRetention(store: StoreReader, policy: RetentionPolicy, now: number): Removal[] {
  const plan = new RetentionPlan(store);
  const { maxAgeMs, maxTerminalBytes, maxTotalBytes } = policy;
  if (maxAgeMs !== undefined) plan.limitAge(now - maxAgeMs);
  if (maxTerminalBytes !== undefined) plan.limitTerminals(maxTerminalBytes);
  if (maxTotalBytes !== undefined) plan.limitTotal(maxTotalBytes);
  return plan.removals;
}

class RetentionPlan {
  readonly #store: StoreReader;
  readonly #kept: Map<TerminalId, Usage>;
  readonly #removals = new Map<TerminalId, Removal>();

  constructor(store: StoreReader) {
    this.#store = store;
    this.#kept = new Map(store.readUsage().map((usage) => [usage.terminalId, usage]));
  }

  get removals(): Removal[] {
    return [...this.#removals.values()];
  }

  limitAge(oldest: number): void {
    for (const usage of this.#kept.values()) {
      if (usage.sealed && usage.lastAt < oldest) this.#removeWhole(usage, "age");
      else {
        const firstKept = this.#store.findNewerThan(usage.terminalId, oldest - 1);
        this.#trim(usage, (firstKept ?? usage.lastSequence) - 1, "age");
      }
    }
  }

  limitTerminals(maxBytes: number): void {
    for (const usage of this.#kept.values()) this.#shrink(usage, maxBytes, "terminalBytes");
  }

  limitTotal(maxBytes: number): void {
    let total = [...this.#kept.values()].reduce((sum, { dataBytes }) => sum + dataBytes, 0);
    const oldestFirst = [...this.#kept.values()].toSorted((a, b) => a.lastAt - b.lastAt);
    for (const usage of oldestFirst) {
      if (total <= maxBytes) return;
      if (!usage.sealed) continue;
      this.#removeWhole(usage, "totalBytes");
      total -= usage.dataBytes;
    }
    // Only running terminals are left: each gives up the same share.
    const share = maxBytes / Math.max(total, 1);
    if (share >= 1) return;
    for (const usage of this.#kept.values()) {
      this.#shrink(usage, Math.floor(usage.dataBytes * share), "totalBytes");
    }
  }

  #shrink(usage: Usage, maxBytes: number, reason: RemovalReason): void {
    const excess = usage.dataBytes - maxBytes;
    if (excess <= 0) return;
    const gone = this.#removals.get(usage.terminalId)?.throughSequence ?? 0;
    const end = this.#store.findEndOfBytes(usage.terminalId, excess) ?? usage.lastSequence;
    this.#trim(usage, Math.max(gone, end), reason);
  }

  #trim(usage: Usage, throughSequence: number, reason: RemovalReason): void {
    const { terminalId, firstSequence, lastSequence } = usage;
    const end = Math.min(throughSequence, lastSequence - 1);
    if (end < firstSequence) return;
    this.#removals.set(terminalId, { terminalId, reason, throughSequence: end, whole: false });
  }

  #removeWhole({ terminalId, lastSequence }: Usage, reason: RemovalReason): void {
    this.#kept.delete(terminalId);
    this.#removals.set(terminalId, {
      terminalId,
      reason,
      throughSequence: lastSequence,
      whole: true,
    });
  }
}
