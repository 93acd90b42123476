import type { TerminalId } from "@nacre/contracts";
import type { CommittedEntry } from "./recording.ts";

/** What is kept of each recording in memory: enough to scroll back for long, and little enough for many terminals. */
export const MAX_MEMORY_BYTES_PER_TERMINAL = 16 * 1024 * 1024;

/** What an entry costs beside its bytes, roughly. */
const ENTRY_BYTES = 512;

/** Removing costs something, so that a recording loses this part of what it may keep at once. */
const TRIM_STEPS = 16;

export interface MemoryTrimmerOptions {
  readonly maxBytes: number;
  /** Removes the oldest entries of a recording. */
  trim(id: TerminalId, throughSequence: number): Promise<unknown>;
}

/** Some entries in a row. */
interface EntrySpan {
  bytes: number;
  lastSequence: number;
}

interface RetainedEntries {
  readonly stretches: EntrySpan[];
  bytes: number;
}

/** Keeps recordings in memory from growing for ever: the oldest entries of each go when it has more than it may. */
export class MemoryTrimmer {
  readonly #options: MemoryTrimmerOptions;
  readonly #retained = new Map<TerminalId, RetainedEntries>();

  constructor(options: MemoryTrimmerOptions) {
    this.#options = options;
  }

  /** Takes note of an entry that was committed. */
  noteEntry(id: TerminalId, { sequence, byteCount }: CommittedEntry): void {
    const { maxBytes } = this.#options;
    const kept = this.#retainedOf(id);
    const cost = ENTRY_BYTES + byteCount;
    const newest = kept.stretches.at(-1);
    kept.bytes += cost;
    if (newest && newest.bytes < maxBytes / TRIM_STEPS) {
      newest.bytes += cost;
      newest.lastSequence = Math.max(newest.lastSequence, sequence);
    } else kept.stretches.push({ bytes: cost, lastSequence: sequence });
    if (kept.bytes <= maxBytes || kept.stretches.length < 2) return;
    const oldest = kept.stretches.shift();
    if (!oldest) return;
    kept.bytes -= oldest.bytes;
    // What cannot be removed now goes with what is removed next, or with its terminal.
    this.#options.trim(id, oldest.lastSequence).catch(() => undefined);
  }

  /** Takes note that a terminal was removed. */
  forget(id: TerminalId): void {
    this.#retained.delete(id);
  }

  #retainedOf(id: TerminalId): RetainedEntries {
    const kept = this.#retained.get(id) ?? { stretches: [], bytes: 0 };
    this.#retained.set(id, kept);
    return kept;
  }
}
