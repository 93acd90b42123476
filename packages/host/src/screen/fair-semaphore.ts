import { NacreError } from "@nacre/contracts";

/** Lets so many do something at the same time, one of each group, and the groups that wait one after the other. */
export class FairSemaphore {
  readonly #maxRunning: number;
  readonly #running = new Set<string>();
  /** Who waits, by group; the group whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  get running(): number {
    return this.#running.size;
  }

  /** Waits for a turn of a group; who leaves before it comes is told `unavailable` and has no turn to give back. */
  async acquire(group: string, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) throw nobodyWaits();
    if (this.#running.size < this.#maxRunning && !this.#running.has(group)) {
      this.#running.add(group);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(group);
    if (waiting) waiting.push(resolve);
    else this.#waiting.set(group, [resolve]);
    const leave = (): void => {
      if (this.#drop(group, resolve)) reject(nobodyWaits());
    };
    signal?.addEventListener("abort", leave, { once: true });
    try {
      await promise;
    } finally {
      signal?.removeEventListener("abort", leave);
    }
  }

  /** Gives the turn back. */
  release(group: string): void {
    this.#running.delete(group);
    for (const [next, waiting] of this.#waiting) {
      if (this.#running.size >= this.#maxRunning) return;
      if (this.#running.has(next)) continue;
      this.#running.add(next);
      const begin = waiting.shift();
      // Behind all others, if more of it wait.
      this.#waiting.delete(next);
      if (waiting.length > 0) this.#waiting.set(next, waiting);
      begin?.();
      return;
    }
  }

  /** Lets everybody go on, for there are no more turns. */
  releaseAll(): void {
    const all = [...this.#waiting.values()].flat();
    this.#waiting.clear();
    for (const begin of all) begin();
  }

  /** Takes one out that waits; false when it does not wait any more. */
  #drop(group: string, begin: () => void): boolean {
    const waiting = this.#waiting.get(group) ?? [];
    const at = waiting.indexOf(begin);
    if (at === -1) return false;
    waiting.splice(at, 1);
    if (waiting.length === 0) this.#waiting.delete(group);
    return true;
  }
}

/** Whoever asked is gone: nobody hears this but logs. */
export const nobodyWaits = (): NacreError =>
  new NacreError("unavailable", "nobody waits for this screen any more");
