import { isDiskFull } from "./store-errors.ts";
import type { GroupWrite } from "./deferred-writes.ts";

/** Small enough that the WAL stays in the page cache, large enough that one fsync serves many groups. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;

/**
 * After a checkpoint the writer itself checkpoints up to this much, a few ms, so that the WAL restarts instead of
 * growing.
 */
const REST_BYTES = 1024 * 1024;

/** WAL pages per group beside its bytes: rows, index and token. */
const WAL_GROUP_OVERHEAD_BYTES = 3 * 8192;

/** WAL bytes per write beside its data: row and index. */
const WAL_WRITE_OVERHEAD_BYTES = 128;

/** A typical audit record beside that. */
const AUDIT_BYTES = 128;

export interface WalCheckpointerOptions {
  /** Resolves to what is wrong with the files; rejects when the thread is gone. */
  checkpoint(): Promise<string | undefined>;
  /** The small rest, at once. */
  checkpointRest(): void;
  handleProblem(message: string): void;
}

/** Schedules checkpoints, one at a time. */
export class WalCheckpointer {
  readonly #options: WalCheckpointerOptions;
  #addedBytes = 0;
  #isUnderWay = false;

  constructor(options: WalCheckpointerOptions) {
    this.#options = options;
  }

  noteCommit(group: readonly GroupWrite[]): void {
    this.#addedBytes += WAL_GROUP_OVERHEAD_BYTES;
    for (const write of group) this.#addedBytes += WAL_WRITE_OVERHEAD_BYTES + estimateBytes(write);
    if (this.#isUnderWay || this.#addedBytes < CHECKPOINT_BYTES) return;
    this.#addedBytes = 0;
    void this.#checkpoint();
  }

  async #checkpoint(): Promise<void> {
    this.#isUnderWay = true;
    try {
      const problem = (await this.#options.checkpoint()) ?? this.#checkpointRest();
      if (problem !== undefined) this.#options.handleProblem(problem);
    } catch {
      // Without that thread, the writer checkpoints at its own bound.
    } finally {
      this.#isUnderWay = false;
    }
  }

  #checkpointRest(): string | undefined {
    if (this.#addedBytes > REST_BYTES) return undefined;
    return tryCheckpoint(() => this.#options.checkpointRest());
  }
}

/** Returns what is wrong with the files. */
export function tryCheckpoint(checkpoint: () => void): string | undefined {
  try {
    checkpoint();
    return undefined;
  } catch (error) {
    // What found no room stays in the WAL; the next commit shows whether there is any.
    if (isDiskFull(error)) return undefined;
    return `the WAL cannot be checkpointed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function estimateBytes(write: GroupWrite): number {
  if (write.kind === "snapshot") return write.row.state.byteLength;
  if (write.kind === "audit") return AUDIT_BYTES;
  return write.kind === "entry" ? (write.data?.byteLength ?? 0) : 0;
}
