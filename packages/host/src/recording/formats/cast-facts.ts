import { DEFAULT_SIZE, MAX_COLS, MAX_ROWS, type Size } from "@nacre/contracts";
import type { FactOf } from "../recorded-entry.ts";
import { MalformedCastError } from "./byte-cursor.ts";
import { cutBytes, MAX_LABEL_LENGTH, toOneLine } from "./format-text.ts";

/** A century; longer recordings would lead to times without a timestamp. */
export const MAX_ELAPSED_S = 100 * 365 * 24 * 60 * 60;

/** Intervals are summed in microseconds, as recorders write them, so that rounding errors do not add up. */
const MICROSECONDS_PER_SECOND = 1_000_000;
const MICROSECONDS_PER_MS = 1000;

/** `intervals`: seconds since the previous event; `absolute`: since the beginning. */
type TimesAre = "intervals" | "absolute";

/** Converts times of a cast into elapsed ms that never decrease. */
export class CastClock {
  readonly #timesAre: TimesAre;
  #elapsedMicroseconds = 0;

  constructor(timesAre: TimesAre) {
    this.#timesAre = timesAre;
  }

  elapsedMsAt(time: unknown): number {
    if (typeof time !== "number" || !(time >= 0)) {
      throw new MalformedCastError("the time of an event is not a number of seconds from 0 on");
    }
    // A time too large for a double is infinite here, and refused alike.
    const microseconds = Math.round(time * MICROSECONDS_PER_SECOND);
    const elapsed =
      this.#timesAre === "intervals"
        ? this.#elapsedMicroseconds + microseconds
        : Math.max(this.#elapsedMicroseconds, microseconds);
    if (elapsed > MAX_ELAPSED_S * MICROSECONDS_PER_SECOND) {
      throw new MalformedCastError(`the time of an event is more than ${MAX_ELAPSED_S} seconds`);
    }
    this.#elapsedMicroseconds = elapsed;
    return Math.round(elapsed / MICROSECONDS_PER_MS);
  }
}

/** The kernel keeps 16 bits per side. */
const MAX_KERNEL_SIDE_CELLS = 65_535;

const isSide = (value: unknown): value is number =>
  typeof value === "number" &&
  Number.isInteger(value) &&
  value >= 0 &&
  value <= MAX_KERNEL_SIDE_CELLS;

/** Clamped to a terminal's maximum; 0 means that the recorder did not know. */
function parseSide([field, value]: Side, max: number, unknownSide: number): number {
  if (!isSide(value)) {
    throw new MalformedCastError(`\`${field}\` is not an integer from 1 to ${max}`, field);
  }
  return value === 0 ? unknownSide : Math.min(value, max);
}

/** Attribute name and value. */
type Side = readonly [field: string, value: unknown];

export function parseHeaderSize(cols: Side, rows: Side): Size {
  return {
    cols: parseSide(cols, MAX_COLS, DEFAULT_SIZE.cols),
    rows: parseSide(rows, MAX_ROWS, DEFAULT_SIZE.rows),
  };
}

/** `80x24`, clamped; undefined when the recorder did not know. */
function parseResizeSize(text: string): Size | undefined {
  const [cols, rows] = /^(\d{1,5})x(\d{1,5})$/.exec(text)?.slice(1).map(Number) ?? [];
  if (!isSide(cols) || !isSide(rows)) throw new MalformedCastError("a resize is not like `80x24`");
  if (cols === 0 || rows === 0) return undefined;
  return { cols: Math.min(cols, MAX_COLS), rows: Math.min(rows, MAX_ROWS) };
}

export type CastFact = FactOf<"output" | "input" | "resize" | "marker" | "exit">;

export interface ImportedFact {
  readonly elapsedMs: number;
  readonly fact: CastFact;
}

/** Replaces lone surrogates, which JSON allows and UTF-8 does not. */
const utf8 = new TextEncoder();

function requireText(data: unknown): string {
  if (typeof data !== "string")
    throw new MalformedCastError("the data of an event is not a string");
  return data;
}

const encodeText = (data: unknown): Uint8Array<ArrayBuffer> => utf8.encode(requireText(data));

function parseResize(data: unknown): readonly CastFact[] {
  const size = parseResizeSize(requireText(data));
  return size === undefined ? [] : [{ type: "resize", ...size }];
}

function parseExitCode(data: unknown): number {
  const code = typeof data === "string" && /^-?\d{1,16}$/.test(data) ? Number(data) : data;
  if (typeof code !== "number" || !Number.isSafeInteger(code)) {
    throw new MalformedCastError("an exit is not an integer");
  }
  return code;
}

export class CastFacts {
  readonly #clock: CastClock;
  #outputBytes = 0;

  constructor(clock: CastClock) {
    this.#clock = clock;
  }

  /** No facts for an empty or unknown event. */
  of(time: unknown, code: unknown, data: unknown): readonly ImportedFact[] {
    const elapsedMs = this.#clock.elapsedMsAt(time);
    return this.#factsOf(code, data).map((fact) => ({ elapsedMs, fact }));
  }

  #factsOf(code: unknown, data: unknown): readonly CastFact[] {
    switch (code) {
      case "o":
        return cutBytes(encodeText(data)).map((part) => this.#output(part));
      case "i":
        return cutBytes(encodeText(data)).map((part) => ({ type: "input", data: part }));
      case "r":
        return parseResize(data);
      case "m":
        return [{ type: "marker", label: toOneLine(requireText(data), MAX_LABEL_LENGTH) }];
      case "x":
        return [{ type: "exit", exitCode: parseExitCode(data), outputBytes: this.#outputBytes }];
      default:
        if (typeof code !== "string")
          throw new MalformedCastError("the code of an event is not a string");
        return [];
    }
  }

  #output(data: Uint8Array<ArrayBuffer>): CastFact {
    const offset = this.#outputBytes;
    this.#outputBytes += data.length;
    return { type: "output", offset, data };
  }
}
