/** Kinds of WebSocket frames. */
export const OPCODES = { text: 1, binary: 2, close: 8, ping: 9 } as const;

/** What is odd about a frame. */
export interface FrameOptions {
  readonly fin?: boolean;
  readonly reserved?: number;
  readonly isMasked?: boolean;
  /** The length that the frame says it has. */
  readonly declared?: number;
}

/** A WebSocket frame as its bytes; the mask is all zeros, so that the payload can be read. */
export function frameOf(opcode: number, payload: Uint8Array, options: FrameOptions = {}): Buffer {
  const { fin = true, reserved = 0, isMasked = true, declared = payload.byteLength } = options;
  const mask = isMasked ? Buffer.alloc(4) : Buffer.alloc(0);
  const flag = isMasked ? 0x80 : 0;
  const first = (fin ? 0x80 : 0) | (reserved << 4) | opcode;
  if (declared < 126) return Buffer.concat([Buffer.from([first, flag | declared]), mask, payload]);
  const length = Buffer.alloc(8);
  length.writeBigUInt64BE(BigInt(declared));
  return Buffer.concat([Buffer.from([first, flag | 127]), length, mask, payload]);
}

/** The code of the close frame in what a server sent. */
export function closeCodeIn(bytes: Buffer): number | undefined {
  for (let at = 0; at + 2 <= bytes.length;) {
    const opcode = (bytes[at] ?? 0) & 0x0f;
    const short = (bytes[at + 1] ?? 0) & 0x7f;
    const start = at + (short === 126 ? 4 : short === 127 ? 10 : 2);
    const length =
      short === 126
        ? bytes.readUInt16BE(at + 2)
        : short === 127
          ? Number(bytes.readBigUInt64BE(at + 2))
          : short;
    if (opcode === OPCODES.close) return bytes.readUInt16BE(start);
    at = start + length;
  }
  return undefined;
}
