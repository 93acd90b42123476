/** The most that one block of a frame may hold. */
export const MAX_STORED_BYTES = 128 * 1024;

/** Every frame of Zstandard begins so. */
const MAGIC = 0xfd_2f_b5_28;

/** The length of the content follows in four bytes, and says how much memory is needed. */
const DESCRIPTOR = 0xa0;

const HEADER_BYTES = 12;

/** A frame of Zstandard that holds its content as it is: for what is too small to be worth the making of a compressor. */
export function encodeStoredFrame(content: Uint8Array): Uint8Array {
  if (content.byteLength > MAX_STORED_BYTES) throw new RangeError("too long for one block");
  const frame = Buffer.allocUnsafe(HEADER_BYTES + content.byteLength);
  frame.writeUInt32LE(MAGIC, 0);
  frame.writeUInt8(DESCRIPTOR, 4);
  frame.writeUInt32LE(content.byteLength, 5);
  // The last block, stored, of this length.
  frame.writeUIntLE(content.byteLength * 8 + 1, 9, 3);
  frame.set(content, HEADER_BYTES);
  return frame;
}
