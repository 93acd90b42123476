import type { TerminalId } from "@nacre/contracts";
import type { Part } from "../thread.ts";
import { Caller } from "../thread-call.ts";
import type { IndexerCalls } from "./indexer-calls.ts";

/** The indexer is told what changed this often; it is far from being late then. */
const TELL_MS = 50;

/** The main thread's end of the indexer: tells it now and then what changed; without it recording goes on. */
export class IndexerLink implements AsyncDisposable {
  readonly #start: () => Part;
  readonly #changed = new Set<TerminalId>();
  #caller: Caller<IndexerCalls>;
  #timer: NodeJS.Timeout | undefined;

  constructor(start: () => Part) {
    this.#start = start;
    this.#caller = new Caller<IndexerCalls>(start());
  }

  /** Resolves once the index is open. */
  ready(): Promise<void> {
    return this.#current().call("ready");
  }

  changed(id: TerminalId): void {
    this.#changed.add(id);
    this.#timer ??= setTimeout(() => void this.#tell(), TELL_MS).unref();
  }

  /** Resolves once everything that changed before is in the index. */
  async caughtUp(): Promise<void> {
    await this.#tell();
    await this.#current().call("caughtUp");
  }

  async forget(id: TerminalId): Promise<void> {
    this.#changed.delete(id);
    await this.#current().call("forget", id);
  }

  async trim(id: TerminalId, throughSequence: number): Promise<void> {
    await this.#current().call("trim", id, throughSequence);
  }

  async scrub(): Promise<void> {
    await this.#current().call("scrub");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    clearTimeout(this.#timer);
    if (!this.#caller.isOver) await this.#caller.call("close");
    await this.#caller.terminate();
  }

  async #tell(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const ids = [...this.#changed];
    this.#changed.clear();
    try {
      if (ids.length > 0) await this.#current().call("changed", ids);
    } catch {
      // An indexer that ended compares everything when it is started again, so nothing is forgotten.
    }
  }

  /** An indexer that ended is started again by the next who needs it. */
  #current(): Caller<IndexerCalls> {
    if (this.#caller.isOver) this.#caller = new Caller<IndexerCalls>(this.#start());
    return this.#caller;
  }
}
