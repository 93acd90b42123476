/** No chunk is larger than this. */
export const CHUNK_BYTES = 128 * 1024;
