import type { RemovalReason, TerminalId } from "@nacre/contracts";
import type { StoreReader, Usage } from "../store/store.ts";

/** Absent: no limit. */
export interface RetentionPolicy {
  readonly maxAgeMs?: number;
  /** Per recording; the oldest entries beyond it are removed. */
  readonly maxTerminalBytes?: number;
  /** All recordings; beyond it ended terminals are removed, oldest first, then the oldest entries of others. */
  readonly maxTotalBytes?: number;
  /** Recordings of ended terminals; beyond it those that ended first are removed. */
  readonly keepLast?: number;
}

/** An ended terminal as a whole, or the oldest entries of one. */
export interface Removal {
  readonly terminalId: TerminalId;
  readonly reason: RemovalReason;
  readonly throughSequence: number;
  readonly whole: boolean;
  readonly entries: number;
  /** Data of these entries. */
  readonly bytes: number;
}

/** Pure. Running terminals keep their newest entry. */
export function planRetention(store: StoreReader, policy: RetentionPolicy, now: number): Removal[] {
  const plan = new RetentionPlan(store);
  const { maxAgeMs, keepLast, maxTerminalBytes, maxTotalBytes } = policy;
  if (maxAgeMs !== undefined) plan.limitAge(now - maxAgeMs);
  if (keepLast !== undefined) plan.limitEnded(keepLast);
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

  limitEnded(count: number): void {
    const ended = [...this.#kept.values()].filter(({ sealed }) => sealed);
    const newestFirst = ended.toSorted((a, b) => b.lastAt - a.lastAt);
    for (const usage of newestFirst.slice(count)) this.#removeWhole(usage, "keepLast");
  }

  limitTerminals(maxBytes: number): void {
    for (const usage of this.#kept.values()) this.#shrink(usage, maxBytes, "terminalBytes");
  }

  limitTotal(maxBytes: number): void {
    let total = [...this.#kept.values()].reduce((sum, usage) => sum + this.#bytesLeft(usage), 0);
    const oldestFirst = [...this.#kept.values()].toSorted((a, b) => a.lastAt - b.lastAt);
    for (const usage of oldestFirst) {
      if (total <= maxBytes) return;
      if (!usage.sealed) continue;
      total -= this.#bytesLeft(usage);
      this.#removeWhole(usage, "totalBytes");
    }
    // Only running terminals are left: each gives up the same share.
    const share = maxBytes / Math.max(total, 1);
    if (share >= 1) return;
    for (const usage of this.#kept.values()) {
      this.#shrink(usage, Math.floor(this.#bytesLeft(usage) * share), "totalBytes");
    }
  }

  #shrink(usage: Usage, maxBytes: number, reason: RemovalReason): void {
    const left = this.#bytesLeft(usage);
    if (left <= maxBytes) return;
    const excess = usage.dataBytes - maxBytes;
    const end = this.#store.findEndOfBytes(usage.terminalId, excess) ?? usage.lastSequence;
    this.#trim(usage, end, reason);
  }

  #trim(usage: Usage, throughSequence: number, reason: RemovalReason): void {
    const { terminalId, firstSequence, lastSequence } = usage;
    const end = Math.min(throughSequence, lastSequence - 1);
    if (end < firstSequence) return;
    this.#removals.set(terminalId, {
      terminalId,
      reason,
      throughSequence: end,
      whole: false,
      entries: end - firstSequence + 1,
      bytes: this.#store.readDataBytes(terminalId, end),
    });
  }

  #removeWhole(usage: Usage, reason: RemovalReason): void {
    const { terminalId, firstSequence, lastSequence, dataBytes } = usage;
    this.#kept.delete(terminalId);
    this.#removals.set(terminalId, {
      terminalId,
      reason,
      throughSequence: lastSequence,
      whole: true,
      entries: lastSequence - firstSequence + 1,
      bytes: dataBytes,
    });
  }

  /** Without what is already planned to go. */
  #bytesLeft({ terminalId, dataBytes }: Usage): number {
    return dataBytes - (this.#removals.get(terminalId)?.bytes ?? 0);
  }
}
