import { NacreError } from "@nacre/contracts";
import type { FactOf } from "../recorded-entry.ts";
import { ByteCursor, END_OF_FILE, MalformedCastError, MAX_CAST_LINE_BYTES } from "./byte-cursor.ts";
import { CastClock, CastFacts, type ImportedFact } from "./cast-facts.ts";
import { type CastHeader, type CastOpening, parseCastHeader, readOpening } from "./cast-header.ts";
import { parseJson, skipBlank, takeByte, takeValue } from "./json-reader.ts";

/** More comments, blank lines and unknown events in a row are only meant to keep the reader busy. */
const MAX_IDLE_BYTES = 16 * 1024 * 1024;

/** Handling a line, however short, takes as long as reading this many bytes. */
const LINE_COST_BYTES = 64;

/** Stops reading a file that produces no facts, well within a second. */
class IdleGuard {
  readonly #cursor: ByteCursor;
  #from: number;
  #lineCostBytes = 0;

  constructor(cursor: ByteCursor) {
    this.#cursor = cursor;
    this.#from = cursor.position;
  }

  /** Call after each fact. */
  reset(): void {
    this.#from = this.#cursor.position;
    this.#lineCostBytes = 0;
  }

  /** Call after each line; throws after too long without a fact. */
  check(): void {
    this.#lineCostBytes += LINE_COST_BYTES;
    if (this.#cursor.position - this.#from + this.#lineCostBytes > MAX_IDLE_BYTES) {
      throw new MalformedCastError("too much data without an event");
    }
  }
}

const CLOSING_BRACKET = "]".charCodeAt(0);

/** Frames of version 1: an array of `[delay, data]`. */
function* readFrames(cursor: ByteCursor): Generator<ImportedFact> {
  const facts = new CastFacts(new CastClock("intervals"));
  const idle = new IdleGuard(cursor);
  takeByte(cursor, "[");
  let isFirst = true;
  while (skipBlank(cursor) !== CLOSING_BRACKET) {
    if (!isFirst) takeByte(cursor, ",");
    isFirst = false;
    skipBlank(cursor);
    const [delay, data] = parseFrame(takeValue(cursor, MAX_CAST_LINE_BYTES));
    for (const fact of facts.of(delay, "o", data)) {
      yield fact;
      idle.reset();
    }
    idle.check();
  }
  takeByte(cursor, "]");
}

function parseFrame(text: string): [delay: unknown, data: unknown] {
  const frame = parseJson(text);
  if (!Array.isArray(frame) || frame.length !== 2) {
    throw new MalformedCastError("a frame is not `[delay, data]`");
  }
  return [frame[0], frame[1]];
}

interface ImportedExit extends ImportedFact {
  readonly fact: FactOf<"exit">;
}

const isExit = (imported: ImportedFact): imported is ImportedExit => imported.fact.type === "exit";

/**
 * A program ends once: later exits are dropped. Output after the first came while another program kept the terminal
 * open.
 */
function* dropLaterExits(facts: Iterable<ImportedFact>): Generator<ImportedFact> {
  let exit: ImportedExit | undefined;
  let isGiven = false;
  for (const imported of facts) {
    if (isExit(imported)) {
      exit ??= imported;
      continue;
    }
    if (exit !== undefined && !isGiven) {
      yield { ...exit, fact: { ...exit.fact, drained: false } };
      isGiven = true;
    }
    yield imported;
  }
  if (exit !== undefined && !isGiven) yield exit;
}

/** Whether the file was valid to its end, or where its readable part ends. */
export type ImportOutcome =
  | { readonly complete: true }
  | { readonly complete: false; readonly line: number; readonly reason: string };

/** Reads a cast lazily; the file is closed after the last fact or by `using`. */
export class AsciicastImport implements Disposable {
  readonly header: CastHeader;
  /** Can be iterated once. */
  readonly facts: Iterable<ImportedFact>;
  readonly #cursor: ByteCursor;
  readonly #opening: CastOpening;
  /** Differs from the file's own while buffered frames are read. */
  #readAt: ByteCursor;
  #outcome: ImportOutcome | undefined;

  /** Throws `MalformedCastError` when the file is not a cast. */
  constructor(cursor: ByteCursor) {
    this.#cursor = cursor;
    this.#readAt = cursor;
    this.#opening = readOpening(cursor);
    this.header = parseCastHeader(this.#opening.attributes);
    if (this.header.version !== 1) takeEndOfHeader(cursor);
    else if (this.#opening.frames === undefined) {
      throw new MalformedCastError("`stdout` is missing", "stdout");
    }
    this.facts = dropLaterExits(this.#untilDamage());
  }

  /** Valid once the facts were read. */
  outcome(): ImportOutcome {
    return this.#outcome ?? this.#stopped("the file was not read to its end");
  }

  [Symbol.dispose](): void {
    this.#cursor.close();
  }

  *#untilDamage(): Generator<ImportedFact> {
    const { version } = this.header;
    try {
      yield* version === 1 ? this.#documentFacts() : readEventLines(this.#cursor, version);
      this.#outcome = { complete: true };
    } catch (problem) {
      if (!(problem instanceof MalformedCastError)) throw problem;
      this.#outcome = this.#stopped(problem.message);
    } finally {
      this.#cursor.close();
    }
  }

  /** Version 1 is one object, which may continue after the frames. */
  *#documentFacts(): Generator<ImportedFact> {
    const { frames = this.#cursor, unfinished } = this.#opening;
    this.#readAt = frames;
    yield* readFrames(frames);
    this.#readAt = this.#cursor;
    while (unfinished?.takeKey() !== undefined) unfinished.takeValue();
    if (skipBlank(this.#cursor) !== END_OF_FILE)
      throw new MalformedCastError("unexpected data after the cast");
  }

  #stopped(reason: string): ImportOutcome {
    return { complete: false, line: this.#readAt.line, reason };
  }
}

/**
 * Reads an untrusted asciicast file in chunks of any size; throws `invalid_argument` when it is none, and reads a
 * damaged one up to the damage.
 */
export function importAsciicast(pieces: Iterable<Uint8Array>): AsciicastImport {
  const cursor = new ByteCursor(pieces);
  try {
    return new AsciicastImport(cursor);
  } catch (problem) {
    cursor.close();
    if (!(problem instanceof MalformedCastError)) throw problem;
    const { field, message } = problem;
    const where = field === undefined ? `line ${cursor.line}` : "the header of the cast";
    throw new NacreError("invalid_argument", `${where}: ${message}`, {
      ...(field !== undefined && { field }),
      details: { line: cursor.line },
      suggestion: "Give an asciicast file of version 1, 2 or 3, as asciinema writes them.",
    });
  }
}

/** Consumes the end of the header's line. */
function takeEndOfHeader(cursor: ByteCursor): void {
  const rest = cursor.takeLine() ?? "";
  if (rest.trim() !== "")
    throw new MalformedCastError("unexpected data after the header on its line");
}

/** Versions 2 and 3: one event per line. */
function* readEventLines(cursor: ByteCursor, version: 2 | 3): Generator<ImportedFact> {
  const facts = new CastFacts(new CastClock(version === 2 ? "absolute" : "intervals"));
  const idle = new IdleGuard(cursor);
  for (;;) {
    const line = cursor.takeLine();
    if (line === undefined) return;
    if (holdsEvent(line, version)) {
      for (const fact of facts.of(...parseEventLine(line))) {
        yield fact;
        idle.reset();
      }
    }
    idle.check();
  }
}

function holdsEvent(line: string, version: 2 | 3): boolean {
  if (version === 3 && line.startsWith("#")) return false;
  return line.startsWith("[") || line.trim() !== "";
}

function parseEventLine(line: string): [time: unknown, code: unknown, data: unknown] {
  const event = parseJson(line);
  if (!Array.isArray(event) || event.length !== 3) {
    throw new MalformedCastError("the line is not an event `[time, code, data]`");
  }
  return [event[0], event[1], event[2]];
}
