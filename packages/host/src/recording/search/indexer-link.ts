import type { TerminalId } from "@nacre/contracts";
import { Service } from "../service.ts";
import type { Part } from "../thread.ts";
import type { IndexerCalls } from "./indexer-calls.ts";

/** The indexer is told what changed this often; it is far from being late then. */
const TELL_MS = 50;

/** The main thread's end of the indexer: tells it now and then what changed; without it recording goes on. */
export class IndexerLink implements AsyncDisposable {
  readonly #service: Service<IndexerCalls>;
  readonly #changed = new Set<TerminalId>();
  #timer: NodeJS.Timeout | undefined;

  /** `handleProblem` is told of the damage that the indexer finds, and of all else that fails in it. */
  constructor(start: () => Part, handleProblem?: (error: Error) => void) {
    this.#service = new Service<IndexerCalls>(start, handleProblem);
    // It has to catch up with what changed while nobody looked.
    this.#service.start();
  }

  /** Resolves once the index is open. */
  ready(): Promise<void> {
    return this.#service.current.call("ready");
  }

  changed(id: TerminalId): void {
    if (this.#service.isClosed) return;
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => void this.#tell(), TELL_MS).unref();
  }

  /** Resolves once everything that changed before can be found. */
  async caughtUp(): Promise<void> {
    await this.#tell();
    await this.#service.current.call("caughtUp");
  }

  /** Waits until everything that changed before can be found, but no longer than this; tells whether it can. */
  async caughtUpWithin(maxMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const timer = setTimeout(() => resolve(false), maxMs);
    // An indexer that ended is behind until it was started again.
    this.caughtUp().then(
      () => resolve(true),
      () => resolve(false),
    );
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
    }
  }

  async forget(id: TerminalId): Promise<void> {
    this.#changed.delete(id);
    await this.#service.current.call("forget", id);
  }

  async trim(id: TerminalId, throughSequence: number): Promise<void> {
    await this.#service.current.call("trim", id, throughSequence);
  }

  async scrub(): Promise<void> {
    await this.#service.current.call("scrub");
  }

  /** Says that the index was found to be damaged: it is made anew. */
  async rebuild(): Promise<void> {
    await this.#service.current.call("rebuild");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    try {
      if (!this.#service.current.isOver) await this.#service.current.call("close");
    } catch {
      // An indexer that could not even start has nothing to close.
    }
    await this.#service[Symbol.asyncDispose]();
  }

  async #tell(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#changed];
    this.#changed.clear();
    try {
      if (ids.length > 0) await this.#service.current.call("changed", ids);
    } catch {
      // An indexer that ended compares everything when it is started again, so nothing is forgotten.
    }
  }
}
