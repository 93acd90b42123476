/** No chunk is larger than this. */
export const CHUNK_BYTES = 64 * 1024;
