import { NacreError, type TerminalId } from "@nacre/contracts";
import type { ReaderMethods } from "./recording-reader.ts";
import type { RecorderClient } from "./recorder-client.ts";
import type { Removal, RetentionPolicy } from "./retention.ts";
import type { IndexerClient } from "./search/indexer-client.ts";
import type { RestartingWorker } from "../base/port-rpc.ts";

/** What was removed, or why not. */
export interface RemovalResult extends Removal {
  readonly problem?: string;
}

/** Removes in batches: appends get their turn in between, and the writes fit into the disk's reserve. */
const TRIM_STEP_ENTRIES = 128;

export interface RemoverDeps {
  readonly recorder: RecorderClient;
  readonly reader: RestartingWorker<ReaderMethods>;
  readonly indexer: IndexerClient;
}

/** Removes recordings, or their oldest entries, from store and index. */
export class Remover {
  readonly #deps: RemoverDeps;

  constructor(deps: RemoverDeps) {
    this.#deps = deps;
  }

  /** Returns how many entries were removed. */
  async delete(terminalId: TerminalId): Promise<number> {
    const { recorder, reader, indexer } = this.#deps;
    const { lastSequence } = await reader.current.call("readExtent", terminalId);
    const trimmed = await this.#trim(terminalId, lastSequence);
    const { count } = await recorder.write({ kind: "delete", terminalId });
    await indexer.forget(terminalId);
    return trimmed + count;
  }

  /** Also makes the data unreadable in the files. */
  async purge(terminalId: TerminalId): Promise<number> {
    const { recorder, indexer } = this.#deps;
    let entries = 0;
    try {
      entries = await this.delete(terminalId);
    } catch (error) {
      if (!(error instanceof NacreError && error.code === "terminal_not_found")) throw error;
      await indexer.forget(terminalId);
    }
    await Promise.all([recorder.write({ kind: "scrub" }), indexer.scrub()]);
    return entries;
  }

  /** Before any later append; only for recordings in memory. */
  async trimAtOnce(terminalId: TerminalId, throughSequence: number): Promise<void> {
    await this.#deps.recorder.write({ kind: "trim", terminalId, throughSequence });
    await this.#deps.indexer.trim(terminalId, throughSequence);
  }

  /** Returns how many. */
  async #trimBoth(terminalId: TerminalId, throughSequence: number): Promise<number> {
    const entries = await this.#trim(terminalId, throughSequence);
    await this.#deps.indexer.trim(terminalId, throughSequence);
    return entries;
  }

  async applyRetention(policy: RetentionPolicy, now: number): Promise<RemovalResult[]> {
    const { maxTotalBytes, ...perTerminal } = policy;
    const removed = await this.#removeAll(await this.planRetention(perTerminal, now));
    if (maxTotalBytes === undefined) return removed;
    // The total depends on what is left, so it is planned again.
    const rest = await this.planRetention({ maxTotalBytes }, now);
    return [...removed, ...(await this.#removeAll(rest))];
  }

  planRetention(policy: RetentionPolicy, now: number): Promise<Removal[]> {
    return this.#deps.reader.current.call("planRetention", policy, now);
  }

  async #removeAll(plan: readonly Removal[]): Promise<RemovalResult[]> {
    const removed: RemovalResult[] = [];
    for (const removal of plan) {
      const { terminalId, throughSequence, whole } = removal;
      try {
        const entries = await (whole
          ? this.delete(terminalId)
          : this.#trimBoth(terminalId, throughSequence));
        removed.push({ ...removal, entries });
      } catch (error) {
        // One failure must not keep the others.
        const problem = error instanceof Error ? error.message : String(error);
        removed.push({ ...removal, entries: 0, bytes: 0, problem });
      }
    }
    return removed;
  }

  async #trim(terminalId: TerminalId, throughSequence: number): Promise<number> {
    const { recorder, reader } = this.#deps;
    const { firstSequence } = await reader.current.call("readExtent", terminalId);
    let entries = 0;
    let step = TRIM_STEP_ENTRIES;
    for (let start = firstSequence; start <= throughSequence;) {
      const end = Math.min(throughSequence, start + step - 1);
      try {
        entries += (await recorder.write({ kind: "trim", terminalId, throughSequence: end })).count;
        start = end + 1;
      } catch (error) {
        // On a full disk a smaller batch may fit and free space for more.
        if (step === 1 || !isBlocked(error)) throw error;
        step = Math.ceil(step / 4);
      }
    }
    return entries;
  }
}

const isBlocked = (error: unknown): boolean =>
  error instanceof NacreError && error.code === "recording_blocked";
