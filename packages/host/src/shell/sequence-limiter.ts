import { ByteEdits, copyBytes, NO_BYTES } from "./byte-edits.ts";
import { CONTROL_START, findNext, OSC_END, STRING_END, toLatin1 } from "./control-bytes.ts";
import { isMarkerNumber, OscNumber } from "./osc.ts";
import { incompleteBytes, MAX_INCOMPLETE_BYTES } from "../base/utf8.ts";

/**
 * Emulators loop as often as a number says, so a longer one would stall them; no screen has as many rows or columns.
 */
const MAX_DIGITS = 4;
const LARGEST_NUMBER = Uint8Array.from(Buffer.from("9999"));

/** Emulators and viewers keep a string until it ends, so a longer one would fill their memory. */
export const MAX_STRING_BYTES = 64 * 1024;

/** Where a viewer is: outside of any escape sequence, behind ESC, in a control sequence, in an OSC or in another string. */
type ClampState = "ground" | "escape" | "intermediate" | "csi" | "osc" | "string";

const BEL = 0x07;
const CAN = 0x18;
const CANCEL = Uint8Array.of(CAN);
const STRING_TERMINATOR = Uint8Array.of(0x1b, 0x5c);
const SUB = 0x1a;
const ESC = 0x1b;
/** First byte of C1 controls in UTF-8. */
const UPPER = Uint8Array.of(0xc2);
const UPPER_TERMINATOR = 0x9c;

interface Work {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly text: string;
  readonly edits: ByteEdits;
}

/**
 * Bounds the numbers and strings of output for those who show it; all else stays as it is. The result is the same
 * however the output is cut. Whatever a viewer of UTF-8 takes for a number of an escape sequence is seen, also when control
 * characters or invalid bytes stand in between, which such a viewer acts on or drops while it reads the number.
 */
export class SequenceLimiter {
  #state: ClampState = "ground";
  /** Digits of the current number, without leading zeros. */
  #digits = 0;
  /** These digits where a chunk ended after them: more may follow and make the number too large. */
  #heldDigits = "";
  #stringBytes = 0;
  #isDropping = false;
  #oscNumber = new OscNumber();
  /** An incomplete code point at the end of the last chunk. */
  #partial = NO_BYTES;

  /** Tells whether no escape sequence and no code point is open, so that a viewer may begin here. */
  get isGround(): boolean {
    return this.#state === "ground" && this.#partial.byteLength === 0;
  }

  /**
   * Push this where something was cut out: an open sequence would swallow what follows, or turn into something nobody
   * wrote.
   */
  get terminator(): Uint8Array<ArrayBuffer> {
    if (this.isGround) return NO_BYTES;
    return this.#isMarker ? CANCEL : STRING_TERMINATOR;
  }

  /** The same object when nothing had to change, else a copy. */
  push(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
    const { byteLength } = bytes;
    if (byteLength === 0) return bytes;
    const hasUpper = this.#partial[0] === UPPER[0];
    this.#partial = partialAfter(this.#partial, bytes);
    const text = toLatin1(bytes);
    if (this.#state === "ground" && !hasUpper && findNext(CONTROL_START, text, 0) < 0) return bytes;
    const work = { bytes, text, edits: new ByteEdits(bytes) };
    let at = 0;
    if (hasUpper) at = this.#completeUpper(work);
    else if (this.#heldDigits !== "") at = this.#resumeNumber(work);
    while (at < byteLength) at = this.#step(work, at);
    return work.edits.result();
  }

  /** Consumes bytes in the current state; returns the new position. */
  #step(work: Work, at: number): number {
    switch (this.#state) {
      case "ground": {
        const start = findNext(CONTROL_START, work.text, at);
        return start < 0 ? work.bytes.byteLength : this.#control(work, start);
      }
      case "escape":
      case "intermediate":
        return this.#readEscape(work, at);
      case "csi":
        return this.#readCsi(work, at);
      case "osc":
        return this.#readString(work, at, OSC_END);
      case "string":
        return this.#readString(work, at, STRING_END);
    }
  }

  #readEscape(work: Work, at: number): number {
    const byte = work.bytes[at] ?? 0;
    if (byte < 0x20 || byte >= 0x7f) return this.#control(work, at);
    if (byte < 0x30) this.#state = "intermediate";
    else this.#open(this.#state === "escape" ? stateAfter(byte) : "ground");
    return at + 1;
  }

  #readCsi(work: Work, at: number): number {
    const byte = work.bytes[at] ?? 0;
    if (byte < 0x20 || byte >= 0x7f) return this.#control(work, at);
    if (isDigit(byte)) return this.#readNumber(work, at);
    this.#digits = 0;
    if (byte >= 0x40) this.#state = "ground";
    return at + 1;
  }

  #readNumber({ bytes, text, edits }: Work, at: number): number {
    const end = digitsEnd(bytes, at);
    if (this.#digits > 0) {
      // The beginning is already out, so the number can only be kept from growing.
      const kept = Math.min(end, at + MAX_DIGITS - this.#digits);
      edits.replace(kept, end);
      this.#digits += kept - at;
      return end;
    }
    let first = at;
    while (first < end && bytes[first] === 0x30) first++;
    this.#digits = Math.min(MAX_DIGITS, end - first);
    if (end - first > MAX_DIGITS) {
      edits.replace(first, end, LARGEST_NUMBER);
    } else if (end === bytes.byteLength) {
      this.#heldDigits = text.slice(first, end);
      edits.replace(first, end);
    }
    return end;
  }

  #resumeNumber({ bytes, text, edits }: Work): number {
    const end = digitsEnd(bytes, 0);
    const digits = this.#heldDigits + text.slice(0, end);
    this.#digits = Math.min(MAX_DIGITS, digits.length);
    this.#heldDigits = "";
    if (digits.length > MAX_DIGITS) edits.replace(0, end, LARGEST_NUMBER);
    else if (end < bytes.byteLength) edits.replace(0, end, Buffer.from(digits));
    else {
      this.#heldDigits = digits;
      edits.replace(0, end);
    }
    return end;
  }

  #readString(work: Work, at: number, endPattern: RegExp): number {
    const found = findNext(endPattern, work.text, at);
    const end = found < 0 ? work.bytes.byteLength : found;
    this.#boundString(work, at, end);
    this.#oscNumber.push(work.text.slice(at, end));
    if (found < 0) return end;
    if (this.#isMarker) this.#cancelMarker(work, end);
    if (work.bytes[end] !== BEL) return this.#control(work, end);
    this.#open("ground");
    return end + 1;
  }

  /** A marker that is still here was given up as unfinished; no viewer may take it for a complete one. */
  get #isMarker(): boolean {
    return this.#state === "osc" && isMarkerNumber(this.#oscNumber.value);
  }

  #cancelMarker({ bytes, edits }: Work, end: number): void {
    const byte = bytes[end];
    if (byte === BEL) edits.replace(end, end + 1, CANCEL);
    else if (byte === ESC) edits.replace(end, end, CANCEL);
    else if (byte === UPPER[0] && bytes[end + 1] === UPPER_TERMINATOR) {
      edits.replace(end + 1, end + 1, CANCEL);
    }
  }

  #boundString({ bytes, edits }: Work, from: number, end: number): void {
    let kept = from;
    if (!this.#isDropping) {
      kept += Math.max(0, MAX_STRING_BYTES - this.#stringBytes);
      // Never cut a code point; the few extra bytes do no harm.
      const last = from + MAX_STRING_BYTES + MAX_INCOMPLETE_BYTES - this.#stringBytes;
      while (kept < end && kept < last && isContinuation(bytes[kept])) kept++;
      this.#stringBytes += end - from;
      if (kept >= end) return;
      this.#isDropping = true;
    }
    edits.replace(kept, end);
  }

  /** Most control characters are executed, and the open sequence continues after them. */
  #control({ bytes }: Work, at: number): number {
    const byte = bytes[at];
    if (byte === ESC) this.#open("escape");
    else if (byte === CAN || byte === SUB) this.#open("ground");
    else if (byte === UPPER[0] && isUpperControl(bytes[at + 1])) {
      this.#open(stateAfterUpper(bytes[at + 1]));
      return at + 2;
    }
    return at + 1;
  }

  #completeUpper({ bytes, edits }: Work): number {
    if (!isUpperControl(bytes[0])) return 0;
    if (this.#isDropping) edits.replace(0, 0, UPPER);
    if (this.#isMarker && bytes[0] === UPPER_TERMINATOR) edits.replace(0, 0, CANCEL);
    this.#open(stateAfterUpper(bytes[0]));
    return 1;
  }

  #open(state: ClampState): void {
    this.#state = state;
    this.#digits = 0;
    this.#stringBytes = 0;
    this.#isDropping = false;
    if (state === "osc") this.#oscNumber = new OscNumber();
  }
}

function stateAfter(final: number): ClampState {
  switch (final) {
    case 0x5b: // [
      return "csi";
    case 0x5d: // ]
      return "osc";
    case 0x50: // P
    case 0x58: // X
    case 0x5e: // ^
    case 0x5f: // _
      return "string";
  }
  return "ground";
}

function stateAfterUpper(byte: number | undefined): ClampState {
  // C1 controls repeat ESC with a character of 0x40 to 0x5f.
  return stateAfter((byte ?? 0) - 0x40);
}

const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

const isContinuation = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x80 && byte <= 0xbf;

const isUpperControl = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x80 && byte <= 0x9f;

function digitsEnd(bytes: Uint8Array, from: number): number {
  let end = from;
  while (isDigit(bytes[end])) end++;
  return end;
}

function partialAfter(
  before: Uint8Array<ArrayBuffer>,
  bytes: Uint8Array<ArrayBuffer>,
): Uint8Array<ArrayBuffer> {
  const isShort = before.byteLength > 0 && bytes.byteLength < MAX_INCOMPLETE_BYTES;
  const all = isShort ? new Uint8Array([...before, ...bytes]) : bytes;
  const count = incompleteBytes(all, all.byteLength);
  return count === 0 ? NO_BYTES : copyBytes(all, all.byteLength - count);
}
