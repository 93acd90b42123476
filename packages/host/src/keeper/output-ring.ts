import { CHUNK_BYTES, LARGE_CHUNK_BYTES } from "../pty/output-queue.ts";
import type { Chunk } from "../pty/pty.ts";

/** How much of all Ptys together is kept that is not recorded. */
const MAX_RINGS_BYTES = 256 * 1024 * 1024;

/** Whose ring holds less may always read on, so that floods of others do not stop a program that says little. */
export const MIN_RING_BYTES = 64 * 1024;

/** Those who wait go on when this part of the bound is free again: not all of them for each byte. */
const FREE_SHARE = 1 / 16;

/** What all rings of a keeper hold; when it is too much, programs that flood wait although their own rings have room. */
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

  /** A ring holds more, or less. */
  change(bytes: number): void {
    this.#heldBytes += bytes;
    const wasFull = this.#isFull;
    const bound = wasFull ? this.#maxBytes * (1 - FREE_SHARE) : this.#maxBytes;
    this.#isFull = this.#heldBytes >= bound;
    if (wasFull && !this.#isFull) for (const go of this.#waiting) go();
  }

  /** Calls each time there is room again, until disposed. */
  onRoom(go: () => void): Disposable {
    this.#waiting.add(go);
    return { [Symbol.dispose]: () => void this.#waiting.delete(go) };
  }
}

/** How much of one Pty is kept that is not recorded; with more its program waits. */
export const RING_BYTES = 8 * 1024 * 1024;

/** From here on the ring is filling up, and what is added takes no more memory than it needs. */
const COMPACT_FROM_BYTES = 1024 * 1024;

/** What a block costs beside its bytes: blocks of two streams that take turns do not join. */
const BLOCK_OVERHEAD_BYTES = 512;

type Bytes = Uint8Array<ArrayBuffer>;

interface Block {
  readonly offset: number;
  readonly bytes: Bytes;
  readonly stream: Chunk["stream"];
}

/** A part of what is kept. */
export type RingPiece = Pick<Block, "bytes" | "stream">;

/** The output of one Pty that is not known to be recorded, in order and bounded. */
export class OutputRing {
  readonly #blocks: Block[] = [];
  #firstOffset = 0;
  #endOffset = 0;
  #heldBytes = 0;
  readonly #total: RingBudget;

  constructor(total = new RingBudget()) {
    this.#total = total;
  }

  /** The oldest byte that is still there. */
  get firstOffset(): number {
    return this.#firstOffset;
  }

  /** Position after the newest byte. */
  get endOffset(): number {
    return this.#endOffset;
  }

  /** Whether no more should be read; counts the memory, not only what is filled of it. */
  get isFull(): boolean {
    if (this.#heldBytes >= RING_BYTES) return true;
    return this.#total.isFull && this.#heldBytes >= MIN_RING_BYTES;
  }

  /** Keeps a chunk, whose buffer is the ring's from now on. */
  add({ bytes, stream }: Chunk): void {
    const offset = this.#endOffset;
    this.#endOffset += bytes.byteLength;
    const last = this.#blocks.at(-1);
    // A program that writes a letter at a time must not cost a buffer per letter.
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

  /** What follows an offset and lies together in memory; undefined when nothing does. */
  pieceAt(offset: number): RingPiece | undefined {
    if (offset >= this.#endOffset) return undefined;
    const block = this.#blocks.findLast((one) => one.offset <= offset);
    return block && { bytes: block.bytes.subarray(offset - block.offset), stream: block.stream };
  }

  /** Lets go of everything before an offset; gives back the whole buffers of it, which can be filled again. */
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
