import { NacreError } from "@nacre/contracts/plain";

interface WaitingGroup {
  readonly isFirst: boolean;
  readonly begins: (() => void)[];
}

interface AcquireOptions {
  /** On abort, rejects with `unavailable` and holds no turn. */
  readonly signal?: AbortSignal | undefined;
  /** Goes before all other groups, as an operator does. */
  readonly isFirst?: boolean;
}

/** Limits concurrency: one per group, and round-robin between waiting groups. */
export class FairSemaphore {
  readonly #maxRunning: number;
  readonly #running = new Set<string>();
  /** By group, in order of turns. */
  readonly #waiting = new Map<string, WaitingGroup>();

  constructor(maxRunning: number) {
    this.#maxRunning = maxRunning;
  }

  get running(): number {
    return this.#running.size;
  }

  waitingOf(group: string): number {
    return this.#waiting.get(group)?.begins.length ?? 0;
  }

  /** In groups that do not go first. */
  get waitingBehind(): number {
    const groups = [...this.#waiting.values()].filter(({ isFirst }) => !isFirst);
    return groups.reduce((sum, { begins }) => sum + begins.length, 0);
  }

  /** Call `release` afterwards. */
  async acquire(group: string, { signal, isFirst = false }: AcquireOptions = {}): Promise<void> {
    if (signal?.aborted) throw nobodyWaits();
    if (this.#running.size < this.#maxRunning && !this.#running.has(group)) {
      this.#running.add(group);
      return;
    }
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = this.#waiting.get(group);
    if (waiting) waiting.begins.push(resolve);
    else this.#waiting.set(group, { isFirst, begins: [resolve] });
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

  /** Hands the turn over directly, so that no newcomer overtakes. */
  release(group: string): void {
    this.#running.delete(group);
    if (this.#running.size >= this.#maxRunning) return;
    const ready = [...this.#waiting].filter(([name]) => !this.#running.has(name));
    const [name, next] = ready.find(([, { isFirst }]) => isFirst) ?? ready[0] ?? [];
    if (name === undefined || !next) return;
    this.#running.add(name);
    const begin = next.begins.shift();
    // Behind all others, if more of it wait.
    this.#waiting.delete(name);
    if (next.begins.length > 0) this.#waiting.set(name, next);
    begin?.();
  }

  /** No more turns: everybody continues. */
  releaseAll(): void {
    const all = [...this.#waiting.values()].flatMap(({ begins }) => begins);
    this.#waiting.clear();
    for (const begin of all) begin();
  }

  /** False when it does not wait any more. */
  #drop(group: string, begin: () => void): boolean {
    const begins = this.#waiting.get(group)?.begins ?? [];
    const at = begins.indexOf(begin);
    if (at === -1) return false;
    begins.splice(at, 1);
    if (begins.length === 0) this.#waiting.delete(group);
    return true;
  }
}

/** The caller is gone; only logs see this. */
export const nobodyWaits = (): NacreError =>
  new NacreError("unavailable", "nobody waits for this any more");
