import { CONTROL_START, find, latin1, OSC_END, STRING_END } from "./control-pattern.ts";
import { codePointLength, incompleteBytes } from "./utf8.ts";

/** An unfinished Control is held back up to this length, so that whoever forgets to finish one cannot hide output. */
export const MAX_HELD_BYTES = 4096;

/** What a Control is: an operating system command, a control sequence, or ESC with one final character. */
export type ControlKind = "osc" | "csi" | "escape";

/** What a byte means that is not part of the Control it stands in. */
type Stray = "ignored" | "ends" | "unknown";

const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;

/** A number that the view must clamp, or a byte that terminals see through. */
const NOT_PLAIN = /\d{5}|[^ -~]/;

/**
 * Finds the Controls in bytes that begin outside of any. What it finds depends on the bytes alone, never on how they
 * arrived: after `MAX_HELD_BYTES` an unfinished Control is none, and scanning goes on behind these bytes.
 */
export class ControlScanner {
  /** What was found last: its bytes, and among them those that say something. */
  kind: ControlKind = "escape";
  start = 0;
  end = 0;
  bodyStart = 0;
  bodyEnd = 0;
  /** Whether what was found last has an end of its own; an OSC may also be ended by what follows it. */
  isTerminated = true;
  /** From here on the bytes can only be understood with those that follow; the end when all can. */
  tail: number;
  /** So far every Control was finished, and none had a number or a length that the view must clamp. */
  isPlain = true;

  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #text: string;
  #position = 0;
  #isDone = false;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#text = latin1(bytes);
    this.tail = bytes.byteLength;
  }

  /** What the last found Control says, one character per byte. */
  get body(): string {
    return this.#text.slice(this.bodyStart, this.bodyEnd);
  }

  /** Goes to the next Control that may have a meaning; false when there is none. */
  next(): boolean {
    while (!this.#isDone) {
      const at = find(CONTROL_START, this.#text, this.#position);
      if (at < 0) {
        this.#isDone = true;
        this.tail = this.#bytes.byteLength - incompleteBytes(this.#bytes, this.#bytes.byteLength);
      } else if (this.#read(at)) {
        this.#checkBefore();
        return true;
      }
    }
    return false;
  }

  #read(at: number): boolean {
    this.start = at;
    const byte = this.#bytes[at];
    if (byte === ESC) return this.#readEscape(at + 1);
    if (byte === 0x9d) {
      this.isPlain = false;
      return this.#readString(at + 1, OSC_END);
    }
    // The pattern has seen that a control character of the upper range follows 0xc2.
    switch (this.#bytes[at + 1] ?? 0) {
      case 0x9d:
        return this.#readString(at + 2, OSC_END);
      case 0x9b:
        return this.#readCsi(at + 2);
      case 0x90:
      case 0x98:
      case 0x9e:
      case 0x9f:
        return this.#readString(at + 2, STRING_END);
    }
    return this.#goOn(at + 2);
  }

  #readEscape(from: number): boolean {
    const limit = this.#limit();
    let hasIntermediate = false;
    for (let at = from; at < limit; at++) {
      const byte = this.#bytes[at] ?? 0;
      if (byte < 0x20 || byte >= 0x7f) {
        const stray = this.#stray(at, limit);
        if (stray === "ends") return false;
        if (stray === "unknown") break;
      } else if (byte < 0x30) {
        hasIntermediate = true;
      } else {
        return hasIntermediate ? this.#goOn(at + 1) : this.#readFinal(byte, at);
      }
    }
    return this.#hold();
  }

  #readFinal(final: number, at: number): boolean {
    switch (final) {
      case 0x5b: // [
        return this.#readCsi(at + 1);
      case 0x5d: // ]
        return this.#readString(at + 1, OSC_END);
      case 0x50: // P
      case 0x58: // X
      case 0x5e: // ^
      case 0x5f: // _
        return this.#readString(at + 1, STRING_END);
    }
    this.bodyStart = at;
    this.bodyEnd = at + 1;
    return this.#found("escape", at + 1);
  }

  #readCsi(from: number): boolean {
    const limit = this.#limit();
    for (let at = from; at < limit; at++) {
      const byte = this.#bytes[at] ?? 0;
      if (byte >= 0x40 && byte < 0x7f) {
        this.bodyStart = from;
        this.bodyEnd = at + 1;
        if (NOT_PLAIN.test(this.body)) this.isPlain = false;
        return this.#found("csi", at + 1);
      }
      if (byte >= 0x20 && byte < 0x40) continue;
      const stray = this.#stray(at, limit);
      if (stray === "ends") return false;
      if (stray === "unknown") break;
    }
    return this.#hold();
  }

  #readString(from: number, endPattern: RegExp): boolean {
    // Looking no further than the limit keeps the time linear when nothing ever ends.
    const length = find(endPattern, this.#text.slice(from, this.#limit()), 0);
    if (length < 0) return this.#hold();
    const at = from + length;
    this.bodyStart = from;
    this.bodyEnd = at;
    const next = this.#bytes[at + 1];
    let end = at + 1;
    switch (this.#bytes[at] ?? 0) {
      case CAN:
      case SUB:
        return this.#goOn(end);
      case ESC:
        if (next === undefined) return this.#holdBack();
        if (next === 0x5c) end = at + 2;
        else end = this.#interrupted(at);
        break;
      case 0xc2:
        if (next !== 0x9c) return this.#goOn(this.#interrupted(at));
        end = at + 2;
        break;
      case 0x9c:
        this.isPlain = false;
    }
    if (endPattern === STRING_END) return this.#goOn(end);
    this.#found("osc", end);
    this.isTerminated = end > at;
    return true;
  }

  /** Tells what becomes of the Control; terminals act on most control characters inside one and then go on with it. */
  #stray(at: number, limit: number): Stray {
    const byte = this.#bytes[at] ?? 0;
    const length = byte >= 0x80 ? codePointLength(this.#bytes, at, limit) : 0;
    if (length < 0) return "unknown";
    this.isPlain = false;
    const isAborted = byte === CAN || byte === SUB;
    if (length === 0 && byte !== ESC && !isAborted) return "ignored";
    this.#position = isAborted ? at + 1 : at;
    return "ends";
  }

  /** What is cut out between two halves of a code point must not join them. */
  #checkBefore(): void {
    if (incompleteBytes(this.#bytes, this.start) > 0) this.isPlain = false;
  }

  #found(kind: ControlKind, end: number): boolean {
    this.kind = kind;
    this.end = end;
    this.#position = end;
    this.isTerminated = true;
    return true;
  }

  #goOn(position: number): boolean {
    this.#position = position;
    return false;
  }

  #interrupted(at: number): number {
    this.isPlain = false;
    return at;
  }

  #limit(): number {
    return Math.min(this.#bytes.byteLength, this.start + MAX_HELD_BYTES);
  }

  /** The Control is not finished: it waits for more, or is too long and no Control any more. */
  #hold(): boolean {
    const limit = this.start + MAX_HELD_BYTES;
    if (this.#bytes.byteLength < limit) return this.#holdBack();
    this.isPlain = false;
    return this.#goOn(limit - incompleteBytes(this.#bytes, limit));
  }

  #holdBack(): boolean {
    this.tail = this.start;
    this.#checkBefore();
    this.#isDone = true;
    return false;
  }
}
