export const CHUNK_BYTES = 128 * 1024;

type Bytes = Uint8Array<ArrayBuffer>;

/** As many as floods have in flight. */
const MAX_POOLED_BUFFERS = 16;

const pool: Bytes[] = [];

/** Reuses recent memory, which is in the cache; fresh memory costs page faults, a fifth of a flood's CPU. */
export const acquireBuffer = (): Bytes => pool.pop() ?? new Uint8Array(CHUNK_BYTES);

/** Takes back a buffer that nobody needs; only one that starts a whole chunk is of use. */
export function releaseBuffer(bytes: Bytes): void {
  const isWhole = bytes.byteOffset === 0 && bytes.buffer.byteLength === CHUNK_BYTES;
  // Transferred, so that its former owner can neither read it nor release it twice.
  if (isWhole && pool.length < MAX_POOLED_BUFFERS)
    pool.push(new Uint8Array(bytes.buffer.transfer()));
}
