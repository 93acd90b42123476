import type { TerminalId } from "@nacre/contracts";

/** Absent: never. */
export interface ReaperPolicy {
  /** After the program ended. */
  readonly exitedAfterMs?: number | undefined;
  /** After the last byte in or out. */
  readonly idleAfterMs?: number | undefined;
}

export type ReapReason = "exited" | "idle";

interface ReapCandidate {
  readonly id: TerminalId;
  readonly isRunning: boolean;
  /** Last recorded entry, monotonic ms. */
  readonly activeAt: number;
}

export interface ReapRegistry {
  list(): readonly ReapCandidate[];
  dispose(id: TerminalId): Promise<void>;
}

export interface ReaperOptions {
  readonly registry: ReapRegistry;
  readonly policy: ReaperPolicy;
  /** Before it is disposed of. */
  readonly handleReap: (terminal: ReapCandidate, reason: ReapReason) => void;
  readonly handleProblem: (error: unknown) => void;
}

/** Often enough for times that people set. */
const MIN_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 60_000;

/** Disposes of unneeded terminals by policy; recordings stay. */
export class Reaper implements Disposable {
  readonly #options: ReaperOptions;
  readonly #timer: NodeJS.Timeout | undefined;

  constructor(options: ReaperOptions) {
    this.#options = options;
    const { exitedAfterMs, idleAfterMs } = options.policy;
    const shortest = Math.min(exitedAfterMs ?? Infinity, idleAfterMs ?? Infinity);
    if (shortest === Infinity) return;
    const interval = Math.min(MAX_INTERVAL_MS, Math.max(MIN_INTERVAL_MS, shortest / 4));
    this.#timer = setInterval(() => this.reap(performance.now()), interval).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  reap(now: number): void {
    const { registry, handleReap, handleProblem } = this.#options;
    for (const terminal of registry.list()) {
      const reason = this.#reasonFor(terminal, now);
      if (!reason) continue;
      handleReap(terminal, reason);
      registry.dispose(terminal.id).catch(handleProblem);
    }
  }

  #reasonFor(terminal: ReapCandidate, now: number): ReapReason | undefined {
    const { exitedAfterMs, idleAfterMs } = this.#options.policy;
    const quietMs = now - terminal.activeAt;
    if (!terminal.isRunning) {
      return exitedAfterMs !== undefined && quietMs >= exitedAfterMs ? "exited" : undefined;
    }
    return idleAfterMs !== undefined && quietMs >= idleAfterMs ? "idle" : undefined;
  }
}
