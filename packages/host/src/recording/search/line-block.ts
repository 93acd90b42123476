import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { EntryType } from "@nacre/contracts";

/** Largest raw block of a zstd frame. */
export const MAX_STORED_BYTES = 128 * 1024;

/** Zstandard magic number. */
const MAGIC = 0xfd_2f_b5_28;

/** Frame header descriptor: single segment, 4-byte content size. */
const DESCRIPTOR = 0xa0;

const HEADER_BYTES = 12;

/** A zstd frame with a raw block: for content too small to be worth a compressor. */
export function encodeStoredFrame(content: Uint8Array): Uint8Array {
  if (content.byteLength > MAX_STORED_BYTES) throw new RangeError("too long for one block");
  const frame = Buffer.allocUnsafe(HEADER_BYTES + content.byteLength);
  frame.writeUInt32LE(MAGIC, 0);
  frame.writeUInt8(DESCRIPTOR, 4);
  frame.writeUInt32LE(content.byteLength, 5);
  // Last block, raw, of this length.
  frame.writeUIntLE(content.byteLength * 8 + 1, 9, 3);
  frame.set(content, HEADER_BYTES);
  return frame;
}

export interface IndexedLine {
  readonly text: string;
  readonly type: EntryType;
  /** Entries in which the text began and was changed last. */
  readonly first: number;
  readonly last: number;
  /** Unix ms of its beginning. */
  readonly at: number;
  /** Leading UTF-16 units that repeat the previous line, because a very long line was cut. */
  readonly carry: number;
}

export interface PackedLines {
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** Lines of output before these. */
  readonly firstLine: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly text: Uint8Array;
  readonly places: Uint8Array;
}

export type StoredLines = Omit<PackedLines, "lastSequence" | "lastAt">;

/** first, last, at, type, carry. */
const COLUMNS = 5;

/** Terminal output is repetitive: the fastest level already halves it. */
const FASTEST = { chunkSize: 64 * 1024, params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Creating a compressor takes longer than everything else done for a few lines. */
const MIN_COMPRESSED_BYTES = 4096;

/** At least one line; `firstLine` numbers the first line of output. */
export function packLines(lines: readonly IndexedLine[], firstLine: number): PackedLines {
  const firstSequence = lines.reduce((least, { first }) => Math.min(least, first), Infinity);
  const lastSequence = lines.reduce((most, { last }) => Math.max(most, last), 0);
  const firstAt = lines.reduce((least, { at }) => Math.min(least, at), Infinity);
  const lastAt = lines.reduce((most, { at }) => Math.max(most, at), 0);
  const places = new Float64Array(lines.length * COLUMNS);
  // Column by column: most columns repeat one value and compress to almost nothing.
  for (const [index, line] of lines.entries()) {
    const put = (column: number, value: number): void => {
      places[column * lines.length + index] = value;
    };
    put(0, line.first - firstSequence);
    put(1, line.last - line.first);
    put(2, line.at - firstAt);
    put(3, EntryType.options.indexOf(line.type));
    put(4, line.carry);
  }
  const text = Buffer.from(lines.map((line) => line.text).join("\n"));
  return {
    firstSequence,
    lastSequence,
    firstLine,
    firstAt,
    lastAt,
    text: compress(text),
    places: compress(new Uint8Array(places.buffer)),
  };
}

const compress = (bytes: Uint8Array): Uint8Array =>
  bytes.byteLength < MIN_COMPRESSED_BYTES
    ? encodeStoredFrame(bytes)
    : zstdCompressSync(bytes, FASTEST);

/** A block fits into one chunk, which saves joining. */
const IN_ONE_PIECE = { chunkSize: 64 * 1024 };

/** UTF-8. */
export const unpackText = ({ text }: Pick<PackedLines, "text">): Buffer =>
  zstdDecompressSync(text, IN_ONE_PIECE);

export function unpackLines(
  packed: StoredLines,
  text = unpackText(packed).toString(),
): IndexedLine[] {
  const bytes = zstdDecompressSync(packed.places, IN_ONE_PIECE);
  const end = bytes.byteOffset + bytes.byteLength;
  const places = new Float64Array(bytes.buffer.slice(bytes.byteOffset, end));
  const texts = text.split("\n");
  const at = (column: number, index: number): number => places[column * texts.length + index] ?? 0;
  return texts.map((line, index) => {
    const first = packed.firstSequence + at(0, index);
    return {
      text: line,
      type: EntryType.options[at(3, index)] ?? "output",
      first,
      last: first + at(1, index),
      at: packed.firstAt + at(2, index),
      carry: at(4, index),
    };
  });
}
