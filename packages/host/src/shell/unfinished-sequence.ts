import type { OmittedRange } from "./byte-edits.ts";
import { codePointLength } from "../base/utf8.ts";

/**
 * What a byte does to the escape sequence in which it stands and to which it does not belong: nothing, since terminals act on
 * most control characters and then go on; it interrupts it by another, aborts it, or is a letter, which has no place
 * there. Unknown when it takes more bytes to tell.
 */
export type StrayByteEffect = "ignored" | "interrupts" | "aborts" | "letter" | "unknown";

const CAN = 0x18;
const SUB = 0x1a;
const ESC = 0x1b;

export function classifyStray(bytes: Uint8Array, at: number, limit: number): StrayByteEffect {
  const byte = bytes[at] ?? 0;
  if (byte === CAN || byte === SUB) return "aborts";
  if (byte === ESC) return "interrupts";
  const length = byte >= 0x80 ? codePointLength(bytes, at, limit) : 0;
  if (length < 0) return "unknown";
  if (length === 0) return "ignored";
  const isUpperControl = byte === 0xc2 && (bytes[at + 1] ?? 0) < 0xa0;
  return isUpperControl ? "interrupts" : "letter";
}

interface RunLimit {
  readonly end: number;
  readonly maxBytes: number;
}

/**
 * Escape sequences that were interrupted, each by the next. Terminals take them for ended; but where output was cut behind one,
 * nobody could tell it from one that was given up. So they wait together with the one that interrupted them, and are
 * given up as it is: by their length, or because nothing followed in time.
 */
export class InterruptedRun {
  #starts: number[] = [];
  #introducerEnds: number[] = [];
  #end = -1;

  get start(): number {
    return this.#starts[0] ?? this.#end;
  }

  get end(): number {
    return this.#end;
  }

  /** Adds an escape sequence that is interrupted at a place, with the end of what views leave out when it is given up. */
  add(start: number, introducerEnd: number, at: number): void {
    if (start !== this.#end) {
      this.#starts = [];
      this.#introducerEnds = [];
    }
    this.#starts.push(start);
    this.#introducerEnds.push(introducerEnd);
    this.#end = at;
  }

  /** The first control that still fits into `maxBytes` with the interrupting one. */
  first({ end, maxBytes }: RunLimit): number {
    return this.#starts.find((start) => end - start < maxBytes) ?? this.#end;
  }

  /** Omitted ranges of the controls given up because the interrupting one took too long. */
  givenUp({ end, maxBytes }: RunLimit): OmittedRange[] {
    const cuts: OmittedRange[] = [];
    for (const [index, from] of this.#starts.entries()) {
      const to = this.#introducerEnds[index] ?? from;
      if (end - from > maxBytes && to > from) cuts.push({ from, to });
    }
    return cuts;
  }
}
