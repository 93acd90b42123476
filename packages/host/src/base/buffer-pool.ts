/** No chunk is larger than this. */
export const CHUNK_BYTES = 128 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** As many as floods have on their way; more would only lie around. */
const MAX_POOLED_BUFFERS = 16;

const pool: Bytes[] = [];

/** A buffer of a whole chunk: memory that was just used is in the cache, while fresh memory costs page faults, a fifth of the CPU of a flood. */
export const acquireBuffer = (): Bytes => pool.pop() ?? new Uint8Array(CHUNK_BYTES);

/** Takes bytes that nobody needs any more, to be filled again by whoever reads next; only the first part of a buffer of a whole chunk is of use. */
export function releaseBuffer(bytes: Bytes): void {
  const isWhole = bytes.byteOffset === 0 && bytes.buffer.byteLength === CHUNK_BYTES;
  // Taken away from whoever had it, so that nobody can look at it or give it back twice while it is filled.
  if (isWhole && pool.length < MAX_POOLED_BUFFERS)
    pool.push(new Uint8Array(bytes.buffer.transfer()));
}

/** Bytes that fill less than this of a whole buffer are copied into as much memory as they need. */
const MIN_POOLED_COPY_BYTES = CHUNK_BYTES / 4;

/** A copy that begins its buffer; a large one is in memory that was used before, which makes it five times as cheap as `slice`. */
export function copyBytes(bytes: Bytes): Bytes {
  const { byteLength } = bytes;
  if (byteLength < MIN_POOLED_COPY_BYTES || byteLength > CHUNK_BYTES) return bytes.slice();
  const copy = acquireBuffer().subarray(0, byteLength);
  copy.set(bytes);
  return copy;
}
