import type { TerminalId } from "@nacre/contracts";

/** When terminals are disposed of by themselves; never when absent. */
export interface ReaperPolicy {
  /** This long after their program ended. */
  readonly exitedAfterMs?: number | undefined;
  /** This long after the last byte in or out. */
  readonly idleAfterMs?: number | undefined;
}

/** Why a terminal was disposed of. */
export type ReapReason = "exited" | "idle";

/** A terminal as a reaper sees it. */
interface ReapCandidate {
  readonly id: TerminalId;
  readonly isRunning: boolean;
  /** When something was last recorded, in ms by the clock that never jumps. */
  readonly activeAt: number;
}

/** What a reaper needs of a registry. */
export interface ReapRegistry {
  list(): readonly ReapCandidate[];
  dispose(id: TerminalId): Promise<void>;
}

export interface ReaperOptions {
  readonly registry: ReapRegistry;
  readonly policy: ReaperPolicy;
  /** Is told of each terminal that goes, before it does. */
  readonly handleReap: (terminal: ReapCandidate, reason: ReapReason) => void;
  readonly handleProblem: (error: unknown) => void;
}

/** Looking this often is often enough for times that people set, and costs nothing. */
const MIN_INTERVAL_MS = 100;
const MAX_INTERVAL_MS = 60_000;

/** Disposes of terminals that nobody needs any more, by a policy; their recordings stay. */
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

  /** Looks at all terminals once. */
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
