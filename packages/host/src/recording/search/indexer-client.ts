import type { TerminalId } from "@nacre/contracts";
import { settleWithin } from "../../base/settle-within.ts";
import { RestartingWorker } from "../../base/port-rpc.ts";
import type { WorkerHandle } from "../../base/worker.ts";
import type { IndexerMethods } from "./indexer.ts";

/** Batches change notices; the indexer lags longer than this anyway. */
const SEND_CHANGES_MS = 50;

/** The indexer's client in the main thread: sends batched change notices. Recording goes on without it. */
export class IndexerClient implements AsyncDisposable {
  readonly #worker: RestartingWorker<IndexerMethods>;
  readonly #changed = new Set<TerminalId>();
  #timer: NodeJS.Timeout | undefined;

  /** `handleProblem`: damage found by the indexer, and any other failure. */
  constructor(start: () => WorkerHandle, handleProblem?: (error: Error) => void) {
    this.#worker = new RestartingWorker<IndexerMethods>(start, handleProblem);
    // It has to catch up with what changed while it was not running.
    this.#worker.start();
  }

  ready(): Promise<void> {
    return this.#worker.current.call("ready");
  }

  changed(id: TerminalId): void {
    if (this.#worker.isClosed) return;
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => void this.#sendChanges(), SEND_CHANGES_MS).unref();
  }

  /** Resolves once everything changed before can be found. */
  async caughtUp(): Promise<void> {
    await this.#sendChanges();
    await this.#worker.current.call("caughtUp");
  }

  /** False when that takes longer than `maxMs`. */
  async caughtUpWithin(maxMs: number): Promise<boolean> {
    const isCaughtUp = this.caughtUp().then(
      () => true,
      // A crashed indexer is behind until it was restarted.
      () => false,
    );
    return (await settleWithin(isCaughtUp, maxMs)) ?? false;
  }

  async forget(id: TerminalId): Promise<void> {
    this.#changed.delete(id);
    await this.#worker.current.call("forget", id);
  }

  async trim(id: TerminalId, throughSequence: number): Promise<void> {
    await this.#worker.current.call("trim", id, throughSequence);
  }

  async scrub(): Promise<void> {
    await this.#worker.current.call("scrub");
  }

  /** The index was found damaged. */
  async rebuild(): Promise<void> {
    await this.#worker.current.call("rebuild");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    try {
      if (!this.#worker.current.isClosed) await this.#worker.current.call("close");
    } catch {
      // An indexer that never started has nothing to close.
    }
    await this.#worker[Symbol.asyncDispose]();
  }

  async #sendChanges(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#changed];
    this.#changed.clear();
    try {
      if (ids.length > 0) await this.#worker.current.call("changed", ids);
    } catch {
      // A restarted indexer compares everything, so nothing is forgotten.
    }
  }
}
