import type { TerminalId } from "@nacre/contracts";
import { settleWithin } from "../../base/settle-within.ts";
import { RestartingWorker } from "../../base/port-rpc.ts";
import type { WorkerHandle } from "../../base/worker.ts";
import type { IndexerMethods } from "./indexer.ts";

/** The indexer is told what changed this often; it is far from being late then. */
const SEND_CHANGES_MS = 50;

/** The main thread's end of the indexer: tells it now and then what changed; without it recording goes on. */
export class IndexerClient implements AsyncDisposable {
  readonly #worker: RestartingWorker<IndexerMethods>;
  readonly #changed = new Set<TerminalId>();
  #timer: NodeJS.Timeout | undefined;

  /** `handleProblem` is told of the damage that the indexer finds, and of all else that fails in it. */
  constructor(start: () => WorkerHandle, handleProblem?: (error: Error) => void) {
    this.#worker = new RestartingWorker<IndexerMethods>(start, handleProblem);
    // It has to catch up with what changed while nobody looked.
    this.#worker.start();
  }

  /** Resolves once the index is open. */
  ready(): Promise<void> {
    return this.#worker.current.call("ready");
  }

  changed(id: TerminalId): void {
    if (this.#worker.isClosed) return;
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => void this.#sendChanges(), SEND_CHANGES_MS).unref();
  }

  /** Resolves once everything that changed before can be found. */
  async caughtUp(): Promise<void> {
    await this.#sendChanges();
    await this.#worker.current.call("caughtUp");
  }

  /** Waits until everything that changed before can be found, but no longer than this; tells whether it can. */
  async caughtUpWithin(maxMs: number): Promise<boolean> {
    const isCaughtUp = this.caughtUp().then(
      () => true,
      // An indexer that ended is behind until it was started again.
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

  /** Says that the index was found to be damaged: it is made anew. */
  async rebuild(): Promise<void> {
    await this.#worker.current.call("rebuild");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    try {
      if (!this.#worker.current.isClosed) await this.#worker.current.call("close");
    } catch {
      // An indexer that could not even start has nothing to close.
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
      // An indexer that ended compares everything when it is started again, so nothing is forgotten.
    }
  }
}
