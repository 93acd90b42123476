// Where output can be cut without splitting a character or a sequence, and what a cut leaves open.

/** First UTF-8 byte of C1 controls. */
const C1_LEAD = 0xc2;

/** DCS, SOS, CSI, OSC, PM and APC as C1 controls. */
const C1_INTRODUCERS = new Set([0x90, 0x98, 0x9b, 0x9d, 0x9e, 0x9f]);

/** Parser states up to this one execute controls at once. */
const LAST_STATE_WITH_CONTROLS = 6;

/** The state that ignores a string. */
const SKIPPED_STRING_STATE = 7;

/** No sequence that changes the screen is longer; of a longer string only the beginning is kept. */
const MAX_OPEN_BYTES = 4096;

/** The bytes that bring a fresh parser into the same state. */
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

/** An introducer restarts the parser, so only the last one counts. */
function findLastIntroducer(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at > 0; at--) {
    const byte = bytes[at] ?? 0;
    if (byte === ESC) return at;
    if (C1_INTRODUCERS.has(byte) && bytes[at - 1] === C1_LEAD) return at - 1;
  }
  return 0;
}

/** Bytes of an incomplete code point at the end. */
export function countIncompleteBytes(bytes: Uint8Array): number {
  const { length } = bytes;
  for (let back = 1; back <= 3 && back <= length; back++) {
    const byte = bytes[length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return utf8Length(byte) > back ? back : 0;
  }
  return 0;
}

/** By its lead byte. */
function utf8Length(lead: number): number {
  if (lead >= 0xf8) return 1;
  if (lead >= 0xf0) return 4;
  return lead >= 0xe0 ? 3 : 2;
}

const ESC = 0x1b;

/** Written at once; about a tenth of a millisecond, for which other screens wait. */
const SLICE_BYTES = 8 * 1024;

/** A slice ends before an escape sequence that begins this close to its end, so that none is cut. */
const SEQUENCE_REACH_BYTES = 512;

/** Depends on nothing but the bytes. */
export function findSliceEnd(bytes: Uint8Array, from: number): number {
  const end = from + SLICE_BYTES;
  if (end >= bytes.length) return bytes.length;
  const reach = end - SEQUENCE_REACH_BYTES;
  const sequence = bytes.subarray(reach, end).lastIndexOf(ESC);
  return sequence === -1 ? findCharacterStart(bytes, end) : reach + sequence;
}

/** Never splits a code point. */
function findCharacterStart(bytes: Uint8Array, at: number): number {
  for (let back = 0; back < 4; back++) {
    if (((bytes[at - back] ?? 0) & 0xc0) !== 0x80) return at - back;
  }
  return at;
}

/** CAN aborts a sequence. */
export const CANCEL = 0x18;

/** End exclusive. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** Without the ranges; a sequence left open before one is cancelled. */
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
