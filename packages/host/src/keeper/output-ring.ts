import { CHUNK_BYTES, LARGE_CHUNK_BYTES } from "../pty/output-queue.ts";
import type { Chunk } from "../pty/pty.ts";

/** Unrecorded output of all PTYs together. */
const MAX_RINGS_BYTES = 256 * 1024 * 1024;

/** A smaller ring may always grow: floods of others must not stop a program that writes little. */
export const MIN_RING_BYTES = 64 * 1024;

/** Waiters resume when this share of the bound is free again, not for each byte. */
const FREE_SHARE = 1 / 16;

/** Shared by all rings of a keeper; beyond it, flooding programs wait although their own rings have room. */
export class RingBudget {
  readonly #maxBytes: number;
  readonly #waiting = new Set<() => void>();
  #heldBytes = 0;
  #isFull = false;

  constructor(maxBytes = MAX_RINGS_BYTES) {
    this.#maxBytes = maxBytes;
  }

  get heldBytes(): number {
    return this.#heldBytes;
  }

  get isFull(): boolean {
    return this.#isFull;
  }

  change(bytes: number): void {
    this.#heldBytes += bytes;
    const wasFull = this.#isFull;
    const bound = wasFull ? this.#maxBytes * (1 - FREE_SHARE) : this.#maxBytes;
    this.#isFull = this.#heldBytes >= bound;
    if (wasFull && !this.#isFull) for (const go of this.#waiting) go();
  }

  /** Called each time there is room again, until disposed. */
  onRoom(go: () => void): Disposable {
    this.#waiting.add(go);
    return { [Symbol.dispose]: () => void this.#waiting.delete(go) };
  }
}

/** Unrecorded output of one PTY; beyond it the program waits. */
export const RING_BYTES = 8 * 1024 * 1024;

/** From here on chunks are compacted. */
const COMPACT_FROM_BYTES = 1024 * 1024;

/** Blocks of two alternating streams do not merge. */
const BLOCK_OVERHEAD_BYTES = 512;

type Bytes = Uint8Array<ArrayBuffer>;

interface Block {
  readonly offset: number;
  readonly bytes: Bytes;
  readonly stream: Chunk["stream"];
}

export type RingPiece = Pick<Block, "bytes" | "stream">;

/** Output of one PTY that is not known to be recorded, in order and bounded. */
export class OutputRing {
  readonly #blocks: Block[] = [];
  #firstOffset = 0;
  #endOffset = 0;
  #heldBytes = 0;
  readonly #total: RingBudget;

  constructor(total = new RingBudget()) {
    this.#total = total;
  }

  get firstOffset(): number {
    return this.#firstOffset;
  }

  get endOffset(): number {
    return this.#endOffset;
  }

  /** Counts allocated memory, not only what is filled. */
  get isFull(): boolean {
    if (this.#heldBytes >= RING_BYTES) return true;
    return this.#total.isFull && this.#heldBytes >= MIN_RING_BYTES;
  }

  /** Takes ownership of the chunk's buffer. */
  add({ bytes, stream }: Chunk): void {
    const offset = this.#endOffset;
    this.#endOffset += bytes.byteLength;
    const last = this.#blocks.at(-1);
    // A program that writes single bytes must not cost a buffer per byte.
    const joinedBytes = (last?.bytes.byteLength ?? 0) + bytes.byteLength;
    if (!last || last.stream !== stream || joinedBytes > LARGE_CHUNK_BYTES) {
      return this.#push({ offset, bytes, stream });
    }
    const joined = new Uint8Array(joinedBytes);
    joined.set(last.bytes);
    joined.set(bytes, last.bytes.byteLength);
    this.#hold(-costOf(last));
    this.#blocks.pop();
    this.#push({ offset: last.offset, bytes: joined, stream });
  }

  /** The contiguous bytes after an offset; undefined when there are none. */
  pieceAt(offset: number): RingPiece | undefined {
    if (offset >= this.#endOffset) return undefined;
    const block = this.#blocks.findLast((one) => one.offset <= offset);
    return block && { bytes: block.bytes.subarray(offset - block.offset), stream: block.stream };
  }

  /** Frees everything before an offset; returns whole buffers for reuse. */
  release(offset: number): Bytes[] {
    this.#firstOffset = Math.max(this.#firstOffset, Math.min(offset, this.#endOffset));
    const kept = this.#blocks.findIndex(
      ({ offset: start, bytes }) => start + bytes.byteLength > this.#firstOffset,
    );
    const gone = this.#blocks.splice(0, kept < 0 ? this.#blocks.length : kept);
    this.#hold(-gone.reduce((sum, block) => sum + costOf(block), 0));
    return gone.flatMap(({ bytes }) => (bytes.buffer.byteLength === CHUNK_BYTES ? [bytes] : []));
  }

  #push({ offset, bytes, stream }: Block): void {
    const isSparing = this.#heldBytes >= COMPACT_FROM_BYTES;
    const own = isSparing && bytes.byteLength < bytes.buffer.byteLength ? bytes.slice() : bytes;
    const block = { offset, bytes: own, stream };
    this.#blocks.push(block);
    this.#hold(costOf(block));
  }

  #hold(bytes: number): void {
    this.#heldBytes += bytes;
    this.#total.change(bytes);
  }
}

const costOf = ({ bytes }: Block): number => bytes.buffer.byteLength + BLOCK_OVERHEAD_BYTES;
