import type { OmittedRange } from "./byte-edits.ts";
import { ControlBytes, findNext, OSC_END, STRING_END } from "./control-bytes.ts";
import { classifyStray, InterruptedRun, type StrayByteEffect } from "./unfinished-sequence.ts";
import { isMarker, mayBeLong } from "./osc.ts";
import { codePointLength, incompleteBytes, MAX_INCOMPLETE_BYTES } from "../base/utf8.ts";

/** An unfinished escape sequence is held back up to this length, so that whoever forgets to finish one cannot hide output. */
export const MAX_ESCAPE_SEQUENCE_BYTES = 4096;

/**
 * An unfinished marker is held back up to this length: other shells report command lines in one, and no view may show
 * its rest. Longer than any command line that is kept, and what terminals keep of a string.
 */
export const MAX_MARKER_BYTES = 64 * 1024;

/** What an escape sequence is: an operating system command, a control sequence, ESC with one final character, or void: no sequence. */
export type EscapeSequenceKind = "osc" | "csi" | "escape" | "void";

const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;
const NOTHING: readonly OmittedRange[] = [];

/** A number that the view must clamp, or a byte that terminals ignore inside a sequence. */
const NOT_PLAIN = /\d{5}|[^ -~]/;

/**
 * Finds the escape sequences in bytes that begin outside of any. What it finds depends on the bytes alone, never on how they
 * arrived: after `MAX_ESCAPE_SEQUENCE_BYTES`, or `MAX_MARKER_BYTES`, an unfinished escape sequence is none, and scanning goes on behind these bytes.
 *
 * A viewer would wait on for the end of such an escape sequence and swallow all text until then. So views leave out the character
 * that begins it, and the rest is shown as the text that it now is: people see everything that was written, and by its
 * odd beginning, such as `]0;`, what went wrong. Strings that may be of any length, such as pictures, are not given up:
 * they go through piece by piece, since nobody wants to read them.
 */
export class EscapeSequenceScanner {
  /** What was found last: its bytes, and among them those that say something. */
  kind: EscapeSequenceKind = "escape";
  start = 0;
  end = 0;
  bodyStart = 0;
  bodyEnd = 0;
  /**
   * Ranges that views omit up to here, because viewers would read on past the end; for the tail, should nothing follow.
   */
  leftOut: readonly OmittedRange[] = NOTHING;
  /** Whether the last control has its own terminator; what follows may also end an OSC. */
  isTerminated = true;
  /** Bytes from here on need those that follow; the end when none do. */
  tail: number;
  /** From here to the tail there is nothing but escape sequences that were given up. */
  givenUpFrom = Infinity;
  /** So far every escape sequence was finished, and none had a number or a length that the view must clamp. */
  isPlain = true;

  readonly #bytes: Uint8Array<ArrayBuffer>;
  readonly #controls: ControlBytes;
  readonly #run = new InterruptedRun();
  /** What was found last is given up at this length. */
  #maxBytes = MAX_ESCAPE_SEQUENCE_BYTES;
  #position = 0;
  #isDone = false;

  constructor(bytes: Uint8Array<ArrayBuffer>) {
    this.#bytes = bytes;
    this.#controls = new ControlBytes(bytes);
    this.tail = bytes.byteLength;
  }

  /** What the last found escape sequence says, one character per byte. */
  get body(): string {
    return this.#controls.text(this.bodyStart, this.bodyEnd);
  }

  /** Goes to the next escape sequence that may have a meaning; false when there is none. */
  next(): boolean {
    this.leftOut = NOTHING;
    while (!this.#isDone) {
      const at = this.#nextStart();
      if (at < 0) {
        this.#isDone = true;
        this.tail = this.#bytes.byteLength - incompleteBytes(this.#bytes, this.#bytes.byteLength);
        this.#checkBefore(this.tail);
      } else if (this.#read(at)) {
        this.#checkBefore(this.start);
        return true;
      }
    }
    return false;
  }

  /** An interrupting sequence matters even when it is ordinary. */
  #nextStart(): number {
    if (this.#run.end === this.#position) return this.#position;
    return this.#controls.next(this.#position);
  }

  #read(at: number): boolean {
    this.start = at;
    this.#maxBytes = MAX_ESCAPE_SEQUENCE_BYTES;
    const byte = this.#bytes[at];
    if (byte === ESC) return this.#readEscape(at + 1);
    // The byte after 0xc2 is known to be a C1 control.
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
    return this.#void(at + 2);
  }

  #readEscape(from: number): boolean {
    const limit = this.#limit();
    let hasIntermediate = false;
    for (let at = from; at < limit; at++) {
      const byte = this.#bytes[at] ?? 0;
      if (byte < 0x20 || byte >= 0x7f) {
        const stray = classifyStray(this.#bytes, at, limit);
        if (stray === "unknown") break;
        this.isPlain = false;
        if (stray !== "ignored") return this.#end(stray, at);
      } else if (byte < 0x30) {
        hasIntermediate = true;
      } else {
        return hasIntermediate ? this.#void(at + 1) : this.#readFinal(byte, at);
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
      const stray = classifyStray(this.#bytes, at, limit);
      if (stray === "unknown") break;
      this.isPlain = false;
      if (stray !== "ignored") return this.#end(stray, at);
    }
    return this.#hold();
  }

  #readString(from: number, endPattern: RegExp): boolean {
    // Bounded by the limit, so that the time stays linear when nothing ever ends.
    let text = this.#controls.text(from, this.#limit());
    let length = findNext(endPattern, text, 0);
    const isOsc = endPattern === OSC_END;
    const isLong = !isOsc || mayBeLong(text);
    if (length < 0 && isOsc && isMarker(text)) {
      this.#maxBytes = MAX_MARKER_BYTES;
      text = this.#controls.text(from, this.#limit());
      length = findNext(endPattern, text, 0);
    }
    if (length < 0) return this.#hold(isLong);
    const at = from + length;
    this.bodyStart = from;
    this.bodyEnd = at;
    const next = this.#bytes[at + 1];
    switch (this.#bytes[at] ?? 0) {
      case CAN:
      case SUB:
        this.isPlain = false;
        return this.#void(at + 1);
      case ESC:
        if (next === 0x5c) return this.#endString(isOsc, at + 2);
        if (next === undefined) return this.#holdBack([...this.#introducer(isLong), cutAt(at)]);
        this.#interrupt(at, isLong);
        return isOsc && this.#foundInterrupted(at);
      case 0xc2:
        if (next === 0x9c) return this.#endString(isOsc, at + 2);
        return this.#interrupt(at, isLong);
    }
    return this.#endString(isOsc, at + 1);
  }

  #endString(isOsc: boolean, end: number): boolean {
    return isOsc ? this.#found("osc", end) : this.#void(end);
  }

  #end(stray: Exclude<StrayByteEffect, "ignored" | "unknown">, at: number): boolean {
    switch (stray) {
      case "interrupts":
        return this.#interrupt(at);
      case "aborts":
        return this.#void(at + 1);
      case "letter": {
        // Some viewers drop a letter in an escape sequence and go on with it: for them, the escape sequence has to be ended before.
        const end = at + codePointLength(this.#bytes, at, this.#bytes.byteLength);
        return this.#void(end, [{ from: at, to: at }]);
      }
    }
  }

  /** A cut between two halves of a code point must not join them. */
  #checkBefore(at: number): void {
    if (incompleteBytes(this.#bytes, at) > 0) this.isPlain = false;
  }

  #found(kind: EscapeSequenceKind, end: number): boolean {
    this.kind = kind;
    this.end = end;
    this.isTerminated = true;
    this.#goOn(end, NOTHING);
    return true;
  }

  /** An OSC counts even when another sequence interrupts it. */
  #foundInterrupted(end: number): true {
    this.kind = "osc";
    this.end = end;
    this.isTerminated = false;
    return true;
  }

  /** A control without meaning here; it matters only where views differ. */
  #void(end: number, leftOut = NOTHING): boolean {
    this.kind = "void";
    this.#goOn(end, leftOut);
    return this.leftOut.length > 0;
  }

  #goOn(end: number, leftOut: readonly OmittedRange[]): void {
    this.#position = end;
    this.leftOut = leftOut;
    if (this.start !== this.#run.end) return;
    this.leftOut = [...this.#run.givenUp({ end, maxBytes: MAX_ESCAPE_SEQUENCE_BYTES }), ...leftOut];
  }

  #interrupt(at: number, isLong = false): false {
    this.isPlain = false;
    this.#run.add(this.start, isLong ? this.start : this.#introducerEnd, at);
    this.#position = at;
    return false;
  }

  #limit(): number {
    return Math.min(this.#bytes.byteLength, this.start + this.#maxBytes);
  }

  /** The escape sequence is not finished: it waits for more, or is too long and no escape sequence any more. */
  #hold(isLong = false): boolean {
    const limit = this.start + this.#maxBytes;
    const leftOut = this.#introducer(isLong);
    if (this.#bytes.byteLength < limit) return this.#holdBack(leftOut);
    this.isPlain = false;
    const isVoid = this.#void(limit, leftOut);
    this.#position -= incompleteBytes(this.#bytes, limit);
    return isVoid;
  }

  #holdBack(leftOut: readonly OmittedRange[]): false {
    const end = this.#bytes.byteLength;
    const isInRun = this.start === this.#run.end;
    this.#goOn(Infinity, leftOut);
    this.tail = isInRun
      ? this.#run.first({ end, maxBytes: MAX_ESCAPE_SEQUENCE_BYTES })
      : this.start;
    if (isInRun) this.givenUpFrom = this.#run.start;
    // Released bytes stand alone in their entry; otherwise the output was cut elsewhere and continues in the next
    // entry.
    const isLong = end - this.start >= this.#maxBytes - MAX_INCOMPLETE_BYTES;
    if (this.start > 0 && !isInRun && !isLong) this.leftOut = NOTHING;
    this.#checkBefore(this.tail);
    this.#isDone = true;
    return false;
  }

  /** The character that begins the escape sequence, which views leave out when it is given up; nothing of a long one. */
  #introducer(isLong: boolean): readonly OmittedRange[] {
    return isLong ? NOTHING : [{ from: this.start, to: this.#introducerEnd }];
  }

  get #introducerEnd(): number {
    return this.start + (this.#bytes[this.start] === 0xc2 ? 2 : 1);
  }
}

const cutAt = (at: number): OmittedRange => ({ from: at, to: at + 1 });
