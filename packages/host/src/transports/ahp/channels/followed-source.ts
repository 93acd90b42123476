import { setTimeout as delay } from "node:timers/promises";
import { NacreError } from "@nacre/contracts";
import type { SourceMessage, TerminalSource } from "./terminal-source.ts";

/** What following needs. */
export interface SourceFollowerDeps {
  /** The terminal, whose feed has not begun. */
  readonly source: TerminalSource;
  /** Opens the terminal again, to go on after an entry. */
  reopen(after: number): Promise<TerminalSource>;
  /** A feed that failed is opened again after this. */
  readonly retryMs: number;
  /** The last entry that was taken. */
  position(): number;
  /** Takes the next message of the feed. */
  handleMessage(message: SourceMessage): void;
  readonly handleProblem: (error: unknown) => void;
}

/** Follows the feed of a terminal as fast as it comes, also over failures of the disk. */
export class SourceFollower implements Disposable {
  readonly #deps: SourceFollowerDeps;
  readonly #ended = new AbortController();
  #source: TerminalSource;

  constructor(parts: SourceFollowerDeps) {
    this.#deps = parts;
    this.#source = parts.source;
  }

  /** The terminal, as it can be read now. */
  get source(): TerminalSource {
    return this.#source;
  }

  /** Begins the feed at once; resolves when nothing more comes, or once disposed. */
  async run(): Promise<void> {
    for (;;) {
      try {
        await this.#runOnce();
        return;
      } catch (error) {
        this.#deps.handleProblem(error);
      }
      if (!(await this.#reopen())) return;
    }
  }

  [Symbol.dispose](): void {
    this.#ended.abort();
    this.#source[Symbol.dispose]();
  }

  async #runOnce(): Promise<void> {
    for (;;) {
      const { value: message } = await this.#source.next();
      if (message === undefined || this.#ended.signal.aborted) return;
      this.#deps.handleMessage(message);
    }
  }

  /** Opens the terminal again, however often it takes; false when it is gone or nobody waits. */
  async #reopen(): Promise<boolean> {
    const { signal } = this.#ended;
    this.#source[Symbol.dispose]();
    while (!signal.aborted) {
      try {
        await delay(this.#deps.retryMs, undefined, { signal, ref: false });
        this.#source = await this.#deps.reopen(this.#deps.position());
        if (!signal.aborted) return true;
        this.#source[Symbol.dispose]();
      } catch (error) {
        if (signal.aborted) return false;
        if (error instanceof NacreError && error.code === "terminal_not_found") return false;
        this.#deps.handleProblem(error);
      }
    }
    return false;
  }
}
