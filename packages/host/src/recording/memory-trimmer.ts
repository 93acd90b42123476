import type { TerminalId } from "@nacre/contracts";
import type { CommittedEntry } from "./recording.ts";

/** Enough to scroll back far, little enough for many terminals. */
export const MAX_MEMORY_BYTES_PER_TERMINAL = 16 * 1024 * 1024;

/** Rough overhead per entry. */
const ENTRY_BYTES = 512;

/** Removes this fraction of the limit at once, because removing has a fixed cost. */
const TRIM_STEPS = 16;

export interface MemoryTrimmerOptions {
  readonly maxBytes: number;
  trim(id: TerminalId, throughSequence: number): Promise<unknown>;
}

interface EntrySpan {
  bytes: number;
  lastSequence: number;
}

interface RetainedEntries {
  readonly stretches: EntrySpan[];
  bytes: number;
}

/** Bounds recordings in memory by removing their oldest entries. */
export class MemoryTrimmer {
  readonly #options: MemoryTrimmerOptions;
  readonly #retained = new Map<TerminalId, RetainedEntries>();

  constructor(options: MemoryTrimmerOptions) {
    this.#options = options;
  }

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
    // The next trim, or removing the terminal, takes it along.
    this.#options.trim(id, oldest.lastSequence).catch(() => undefined);
  }

  forget(id: TerminalId): void {
    this.#retained.delete(id);
  }

  #retainedOf(id: TerminalId): RetainedEntries {
    const kept = this.#retained.get(id) ?? { stretches: [], bytes: 0 };
    this.#retained.set(id, kept);
    return kept;
  }
}
