const ESC = 0x1b;

/** Written at once; other screens wait at most this long for their turn, about a tenth of a millisecond. */
const SLICE_BYTES = 8 * 1024;

/** Slices end before an escape sequence where one begins this near to the end, so that none is cut. */
const SEQUENCE_REACH_BYTES = 512;

/** Where the slice that begins at `from` ends; depends on nothing but the bytes. */
export function findSliceEnd(bytes: Uint8Array, from: number): number {
  const end = from + SLICE_BYTES;
  if (end >= bytes.length) return bytes.length;
  const reach = end - SEQUENCE_REACH_BYTES;
  const sequence = bytes.subarray(reach, end).lastIndexOf(ESC);
  return sequence === -1 ? findCharacterStart(bytes, end) : reach + sequence;
}

/** The bytes of a letter stay together. */
function findCharacterStart(bytes: Uint8Array, at: number): number {
  for (let back = 0; back < 4; back++) {
    if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  }
  return at;
}

/** Ends a sequence that was begun. */
export const CANCEL = 0x18;

/** Bytes from one offset to another, the end not included. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Bytes without what cannot be drawn; a sequence that was left open before it ends there. */
export function removeRanges(
  bytes: Uint8Array<ArrayBuffer>,
  cuts: readonly ByteRange[],
): Uint8Array<ArrayBuffer> {
  if (cuts.length === 0) return bytes;
  const kept: Uint8Array[] = [];
  let at = 0;
  for (const { from, to } of cuts) {
    kept.push(bytes.subarray(at, from), Uint8Array.of(CANCEL));
    at = to;
  }
  kept.push(bytes.subarray(at));
  return new Uint8Array(Buffer.concat(kept));
}
