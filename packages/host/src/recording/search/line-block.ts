import { constants, zstdCompressSync, zstdDecompressSync } from "node:zlib";
import { EntryType } from "@nacre/contracts";

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

/** One line of text in the index, with its place in the recording. */
export interface IndexedLine {
  readonly text: string;
  readonly type: EntryType;
  /** The entries in which the text began and in which it was changed last. */
  readonly first: number;
  readonly last: number;
  /** When it began, Unix ms. */
  readonly at: number;
  /** How many leading UTF-16 units repeat the line before, because a very long line was cut. */
  readonly carry: number;
}

/** Lines packed for the index. */
export interface PackedLines {
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** How many lines of output the terminal has before these. */
  readonly firstLine: number;
  readonly firstAt: number;
  readonly lastAt: number;
  readonly text: Uint8Array;
  readonly places: Uint8Array;
}

/** What the index keeps of a block. */
export type StoredLines = Omit<PackedLines, "lastSequence" | "lastAt">;

/** The columns of places: first, last, at, type, carry. */
const COLUMNS = 5;

/** Terminal output is repetitive: the fastest level halves it already. */
const FASTEST = { chunkSize: 64 * 1024, params: { [constants.ZSTD_c_compressionLevel]: 1 } };

/** Less is stored as it is: making a compressor takes longer than everything else that is done for a few lines. */
const MIN_COMPRESSED_BYTES = 4096;

/** Packs at least one line, of which the first line of output has this number. */
export function packLines(lines: readonly IndexedLine[], firstLine: number): PackedLines {
  const firstSequence = lines.reduce((least, { first }) => Math.min(least, first), Infinity);
  const lastSequence = lines.reduce((most, { last }) => Math.max(most, last), 0);
  const firstAt = lines.reduce((least, { at }) => Math.min(least, at), Infinity);
  const lastAt = lines.reduce((most, { at }) => Math.max(most, at), 0);
  const places = new Float64Array(lines.length * COLUMNS);
  // Column by column: most columns repeat one value and so take next to nothing.
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

/** A block fits into one piece, which saves putting pieces together. */
const IN_ONE_PIECE = { chunkSize: 64 * 1024 };

/** The text of packed lines as a whole, in UTF-8. */
export const unpackText = ({ text }: Pick<PackedLines, "text">): Buffer =>
  zstdDecompressSync(text, IN_ONE_PIECE);

/** The lines again, from their text and the rest. */
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
