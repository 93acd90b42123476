import { ByteEdits } from "./byte-edits.ts";
import { findNext, OSC_END, toLatin1 } from "./control-bytes.ts";
import { MAX_ESCAPE_SEQUENCE_BYTES, MAX_MARKER_BYTES } from "./escape-sequence-scanner.ts";
import { incompleteBytes } from "../base/utf8.ts";

/** Terminals drop these inside of an escape sequence, and see the escape sequence all the same. */
const DROPPED = String.raw`(?:(?!\xc2[\x80-\x9f])[^\x07\x18\x1a\x1b -~])*`;

const spelled = (text: string): string => Array.from(text, (letter) => letter + DROPPED).join("");

/** How an OSC 133 or 633 begins, up to the end of its number. An ESC, and U+009D in UTF-8, begin an escape sequence wherever they are. */
const MARKER_START = new RegExp(
  String.raw`(?:\x1b${DROPPED}\]|\xc2\x9d)${DROPPED}(?:0${DROPPED})*(?:${spelled("133")}|${spelled("633")})(?![!-:<-~])`,
  "g",
);

const ESC = 0x1b;
const BACKSLASH = 0x5c;
const UPPER = 0xc2;
const UPPER_TERMINATOR = 0x9c;

/**
 * One entry's bytes without OSC 133 and 633, whoever wrote them; the same object when there are none. Each is removed
 * up to its terminator (BEL, ST, CAN or SUB), up to what interrupts it, up to the 64 KiB that the parser holds back, or
 * up to the end of the entry where it was not finished in time.
 */
export function stripMarkers(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  // Most output has no marker: searching for its first byte needs no string.
  if (bytes.indexOf(ESC) < 0 && bytes.indexOf(UPPER) < 0) return bytes;
  const text = toLatin1(bytes);
  const edits = new ByteEdits(bytes);
  MARKER_START.lastIndex = 0;
  for (let match = MARKER_START.exec(text); match; match = MARKER_START.exec(text)) {
    // Behind that many bytes the parser does not see the number.
    if (match[0].length >= MAX_ESCAPE_SEQUENCE_BYTES) continue;
    const end = markerEnd(bytes, text, match);
    edits.replace(match.index, end);
    MARKER_START.lastIndex = end;
  }
  return edits.result();
}

function markerEnd(bytes: Uint8Array, text: string, { index, 0: start }: RegExpExecArray): number {
  const held = index + MAX_MARKER_BYTES;
  const isTooLong = held <= bytes.byteLength;
  // Never cut a code point.
  const limit = isTooLong ? held - incompleteBytes(bytes, held) : bytes.byteLength;
  const at = findNext(OSC_END, text, Math.min(limit, index + start.length));
  if (at < 0 || at >= limit) return limit;
  const byte = bytes[at];
  const next = bytes[at + 1];
  const isTerminator =
    byte === ESC ? next === BACKSLASH : byte === UPPER && next === UPPER_TERMINATOR;
  if (isTerminator) return at + 2;
  return byte === ESC || byte === UPPER ? at : at + 1;
}
