import { NacreError, type TerminalId } from "@nacre/contracts";
import type { ReaderMethods } from "./recording-reader.ts";
import type { RecorderClient } from "./recorder-client.ts";
import type { Removal, RetentionPolicy } from "./retention.ts";
import type { IndexerClient } from "./search/indexer-client.ts";
import type { RestartingWorker } from "../base/port-rpc.ts";

/** What a removal removed, or why it could not. */
export interface RemovalResult extends Removal {
  readonly problem?: string;
}

/** Removes this many entries at a time: appends get their turn in between, and what is written to remove them fits into the reserve of the disk. */
const TRIM_STEP_ENTRIES = 128;

export interface RemoverDeps {
  readonly recorder: RecorderClient;
  readonly reader: RestartingWorker<ReaderMethods>;
  readonly indexer: IndexerClient;
}

/** Removes recordings, or their oldest entries, from the store and from the index. */
export class Remover {
  readonly #deps: RemoverDeps;

  constructor(deps: RemoverDeps) {
    this.#deps = deps;
  }

  /** Removes a terminal with its recording; returns how many entries that were. */
  async delete(terminalId: TerminalId): Promise<number> {
    const { recorder, reader, indexer } = this.#deps;
    const { lastSequence } = await reader.current.call("readExtent", terminalId);
    const trimmed = await this.#trim(terminalId, lastSequence);
    const { count } = await recorder.write({ kind: "delete", terminalId });
    await indexer.forget(terminalId);
    return trimmed + count;
  }

  /** Removes a terminal so that nothing of it can be read in the files any more. */
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

  /** Removes the oldest entries of a recording before anything that is appended from now on; only where no disk is written. */
  async trimAtOnce(terminalId: TerminalId, throughSequence: number): Promise<void> {
    await this.#deps.recorder.write({ kind: "trim", terminalId, throughSequence });
    await this.#deps.indexer.trim(terminalId, throughSequence);
  }

  /** Removes the oldest entries of a recording; returns how many. */
  async #trimBoth(terminalId: TerminalId, throughSequence: number): Promise<number> {
    const entries = await this.#trim(terminalId, throughSequence);
    await this.#deps.indexer.trim(terminalId, throughSequence);
    return entries;
  }

  /** Removes what the policy does not keep, and says what that was. */
  async applyRetention(policy: RetentionPolicy, now: number): Promise<RemovalResult[]> {
    const { maxTotalBytes, ...perTerminal } = policy;
    const removed = await this.#removeAll(await this.planRetention(perTerminal, now));
    if (maxTotalBytes === undefined) return removed;
    // What is left counts, so it is looked at again.
    const rest = await this.planRetention({ maxTotalBytes }, now);
    return [...removed, ...(await this.#removeAll(rest))];
  }

  /** What the policy does not keep now. */
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
        // One that cannot be removed is no reason to keep the others.
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
        // On a full disk there may be room to remove less at once, which makes room for more.
        if (step === 1 || !isBlocked(error)) throw error;
        step = Math.ceil(step / 4);
      }
    }
    return entries;
  }
}

const isBlocked = (error: unknown): boolean =>
  error instanceof NacreError && error.code === "recording_blocked";
