import { isDiskFull } from "./store-errors.ts";
import type { GroupWrite } from "./deferred-writes.ts";

/** The WAL is checkpointed whenever about so much was added: often enough that it stays in the processor's reach, and large enough that one fsync is for many groups. */
const CHECKPOINT_BYTES = 4 * 1024 * 1024;

/** So much may have been added while the WAL was checkpointed that the writer checkpoints it itself: a few ms as a rule, for which the WAL begins anew instead of growing. */
const REST_BYTES = 1024 * 1024;

/** What a group adds to the WAL beside its bytes: the pages in which its rows, their index and its token are. */
const WAL_GROUP_OVERHEAD_BYTES = 3 * 8192;

/** What a write adds to the WAL beside its bytes: its row and its place in the index. */
const WAL_WRITE_OVERHEAD_BYTES = 128;

/** What a record of the audit has beside that, as a rule. */
const AUDIT_BYTES = 128;

export interface WalCheckpointerOptions {
  /** Checkpoints the WAL; resolves to what went wrong with the files, and rejects when nobody is there to do it. */
  checkpoint(): Promise<string | undefined>;
  /** Checkpoints the little that is left of the WAL, at once. */
  checkpointRest(): void;
  handleProblem(message: string): void;
}

/** Decides when the WAL of a store is checkpointed; one checkpoint at a time. */
export class WalCheckpointer {
  readonly #options: WalCheckpointerOptions;
  #addedBytes = 0;
  #isUnderWay = false;

  constructor(options: WalCheckpointerOptions) {
    this.#options = options;
  }

  /** Notes that a group was committed. */
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
      // Nobody is there to checkpoint; at its bound the writer does it.
    } finally {
      this.#isUnderWay = false;
    }
  }

  #checkpointRest(): string | undefined {
    if (this.#addedBytes > REST_BYTES) return undefined;
    return tryCheckpoint(() => this.#options.checkpointRest());
  }
}

/** Checkpoints; tells in words what went wrong with the files. */
export function tryCheckpoint(checkpoint: () => void): string | undefined {
  try {
    checkpoint();
    return undefined;
  } catch (error) {
    // What found no room is in the WAL still; whether there is any, the next commit finds out.
    if (isDiskFull(error)) return undefined;
    return `the WAL cannot be checkpointed: ${error instanceof Error ? error.message : String(error)}`;
  }
}

function estimateBytes(write: GroupWrite): number {
  if (write.kind === "snapshot") return write.row.state.byteLength;
  if (write.kind === "audit") return AUDIT_BYTES;
  return write.kind === "entry" ? (write.data?.byteLength ?? 0) : 0;
}
