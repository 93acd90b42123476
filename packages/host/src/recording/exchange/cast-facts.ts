import type { FactOf } from "../recorded-entry.ts";
import type { CastClock } from "./cast-clock.ts";
import { parseResizeSize } from "./cast-size.ts";
import { cutBytes } from "./event-cut.ts";
import { MalformedCastError } from "./malformed.ts";
import { MAX_LABEL_LENGTH, toOneLine } from "./one-line.ts";

/** What a cast can tell of a Terminal. */
export type CastFact = FactOf<"output" | "input" | "resize" | "marker" | "exit">;

/** A fact from a cast, at its time since the beginning. */
export interface ImportedFact {
  readonly elapsedMs: number;
  readonly fact: CastFact;
}

/** Replaces lone surrogates, which JSON can have and bytes cannot. */
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

/** Turns events of one cast into facts, in their order. */
export class CastFacts {
  readonly #clock: CastClock;
  #outputBytes = 0;

  constructor(clock: CastClock) {
    this.#clock = clock;
  }

  /** The facts of the next event; none when it is empty or of a kind that we do not know. */
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
