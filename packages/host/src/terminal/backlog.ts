import { MAX_DEFERRED_BYTES, WRITE_OVERHEAD_BYTES } from "../recording/held-writes.ts";

/** What all terminals together may have waiting for the disk: a key pressed now is recorded behind it. */
const MAX_TOTAL_BYTES = 512 * 1024;

/** What one terminal may have waiting; with more, its PTY is not read and its program waits. */
const MAX_OWN_BYTES = 256 * 1024;

/** A terminal with less waiting than this is somebody typing; it does not queue up behind floods. */
const FREE_BYTES = 16 * 1024;

/** With this much waiting everybody waits, since a recorder that cannot write holds no more than so much; the rest is for what is read already. */
const MAX_FREE_TOTAL_BYTES = MAX_DEFERRED_BYTES / 2;

/** What a fact with so many bytes counts for. */
export const weighWrite = (byteCount: number): number => byteCount + WRITE_OVERHEAD_BYTES;

/** What waits to be committed, of all terminals of a host: floods take turns, so that who types is not behind all of them. */
export class Backlog {
  /** Those who wait, in the order of their coming. */
  readonly #waiting = new Set<() => void>();
  #totalBytes = 0;

  /** Bytes were handed to the recorder. */
  add(byteCount: number): void {
    this.#totalBytes += byteCount;
  }

  /** They are committed, or given up. */
  remove(byteCount: number): void {
    this.#totalBytes -= byteCount;
    // Where nothing waits any more, nothing else would wake them.
    if (this.#totalBytes === 0) for (const wake of this.#waiting) wake();
    if (this.#totalBytes >= MAX_TOTAL_BYTES) return;
    const [first] = this.#waiting;
    first?.();
  }

  /** Whether a terminal with this much waiting has to wait before it reads more. */
  isFull(ownBytes: number): boolean {
    if (ownBytes <= FREE_BYTES) return this.#totalBytes > MAX_FREE_TOTAL_BYTES;
    return ownBytes > MAX_OWN_BYTES || this.#totalBytes > MAX_TOTAL_BYTES;
  }

  /** Resolves when it may be this terminal's turn again, or when it wakes itself through what `register` is given. */
  async turn(register: (wake: () => void) => void): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#waiting.add(resolve);
    register(resolve);
    await promise;
    this.#waiting.delete(resolve);
  }
}
