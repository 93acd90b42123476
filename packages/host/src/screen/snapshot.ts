// The written form of an emulator: a version, whether it is compressed, and then everything that decides what it shows next.
import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import type { Size } from "@nacre/contracts";
import { ByteReader } from "./byte-reader.ts";
import { ByteWriter } from "./byte-writer.ts";

/** Changes with the form; another one is refused, and the screen is built from the recording instead. */
const VERSION = 1;

const PLAIN = 0;
const ZSTD = 1;

/** Below this, compression costs more than it saves. */
const MIN_COMPRESSED_BYTES = 512;

/** A full screen of 1000 by 1000 cells, its alternate one and 1000 lines of scrollback are 36 MB; more is nobody's screen. */
const MAX_PAYLOAD_BYTES = 48 * 1024 * 1024;

/** Lines that have left the screen at the top and are still known; more only burns memory. */
export const MAX_SCROLLBACK_LINES = 1000;

/** Same as the largest side of a Size; the contracts are too large to be loaded into every thread. */
const MAX_SIDE_CELLS = 1000;

/** What must be known before an emulator can be made. */
export interface SnapshotHeader {
  readonly size: Size;
  readonly scrollback: number;
}

/** Writes a snapshot whose body is put by `write`. */
export function encodeEmulatorSnapshot(
  { size, scrollback }: SnapshotHeader,
  write: (writer: ByteWriter) => void,
): Uint8Array<ArrayBuffer> {
  const writer = new ByteWriter();
  writer.u16(size.cols);
  writer.u16(size.rows);
  writer.u16(scrollback);
  write(writer);
  const payload = writer.finish();
  const packed = payload.length < MIN_COMPRESSED_BYTES ? payload : compress(payload);
  const isPacked = packed.length < payload.length;
  const whole = new Uint8Array(2 + (isPacked ? packed : payload).length);
  whole[0] = VERSION;
  whole[1] = isPacked ? ZSTD : PLAIN;
  whole.set(isPacked ? packed : payload, 2);
  return whole;
}

/** Opens a snapshot; the body is left to be read. Throws on whatever is not one. */
export function decodeEmulatorSnapshot(bytes: Uint8Array): SnapshotHeader & { body: ByteReader } {
  const [version, form] = bytes;
  if (version !== VERSION) throw new Error(`version ${version} is not known, only ${VERSION}`);
  if (form !== PLAIN && form !== ZSTD) throw new Error(`form ${form} is not known`);
  const payload = bytes.subarray(2);
  const body = new ByteReader(form === ZSTD ? decompress(payload) : payload);
  const size = { cols: body.u16(), rows: body.u16() };
  const scrollback = body.u16();
  requireInRange(size.cols, 1, MAX_SIDE_CELLS, "columns");
  requireInRange(size.rows, 1, MAX_SIDE_CELLS, "rows");
  requireInRange(scrollback, 0, MAX_SCROLLBACK_LINES, "lines of scrollback");
  return { size, scrollback, body };
}

/** A number that was read, if it makes sense. */
export function requireInRange(value: number, least: number, most: number, what: string): number {
  if (value >= least && value <= most) return value;
  throw new Error(`${value} ${what}, expected ${least} to ${most}`);
}

const compress = (payload: Uint8Array): Uint8Array =>
  zstdCompressSync(payload, { params: { [constants.ZSTD_c_compressionLevel]: 1 } });

function decompress(payload: Uint8Array): Uint8Array {
  const { buffer, byteOffset, length } = zstdDecompressSync(payload, {
    maxOutputLength: MAX_PAYLOAD_BYTES,
  });
  return new Uint8Array(buffer, byteOffset, length);
}
