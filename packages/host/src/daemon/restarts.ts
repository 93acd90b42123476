import type { Log } from "./log.ts";

/** Counts the parts of the daemon that ended by themselves and are started anew, and says so. */
export class RestartCounter {
  readonly #log: Log;
  readonly #counts = new Map<string, number>();

  constructor(log: Log) {
    this.#log = log;
  }

  readonly note = (part: string, error: unknown): void => {
    this.#counts.set(part, (this.#counts.get(part) ?? 0) + 1);
    this.#log.warn("a part ended and is started anew", { part, error });
  };

  /** How often each part was started anew. */
  get counts(): Readonly<Record<string, number>> {
    return Object.fromEntries(this.#counts);
  }
}
