// Where output can be cut without cutting a character or an escape sequence, and what a cut leaves open.

/** The lead byte of the controls U+0080 to U+009F. */
const C1_LEAD = 0xc2;

/** DCS, SOS, CSI, OSC, PM and APC as single controls. */
const C1_INTRODUCERS = new Set([0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f]);

/** States of the parser in which controls take effect at once instead of belonging to the sequence. */
const LAST_STATE_WITH_CONTROLS = 6;

/** The state in which a string is only skipped. */
const SKIPPED_STRING_STATE = 7;

/** No sequence that changes the screen is longer; of a longer string only the beginning is kept. */
const MAX_OPEN_BYTES = 4096;

/** The bytes of an unfinished sequence that bring a fresh parser into the same state. */
export function findOpenSequence(
  bytes: Uint8Array<ArrayBuffer>,
  parserState: number,
): Uint8Array<ArrayBuffer> {
  const start = findLastIntroducer(bytes);
  if (parserState === SKIPPED_STRING_STATE) return bytes.slice(start, start + 2);
  const sequence = bytes.slice(start, start + MAX_OPEN_BYTES);
  if (parserState > LAST_STATE_WITH_CONTROLS) return sequence;
  return sequence.filter((byte, at) => at === 0 || byte >= 0x20);
}

/** Every introducer begins anew, whatever came before; so the last one counts. */
function findLastIntroducer(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at > 0; at--) {
    const byte = bytes[at] ?? 0;
    if (byte === ESC) return at;
    if (C1_INTRODUCERS.has(byte) && bytes[at - 1] === C1_LEAD) return at - 1;
  }
  return 0;
}

/** How many bytes at the end are the beginning of a letter that goes on. */
export function countIncompleteBytes(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return utf8Length(byte) > back ? back : 0;
  }
  return 0;
}

/** How many bytes a letter has that begins with this one. */
function utf8Length(lead: number): number {
  if (lead >= 0xf8) return 1;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

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
