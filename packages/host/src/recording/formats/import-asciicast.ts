import { NacreError } from "@nacre/contracts";
import type { FactOf } from "../recorded-entry.ts";
import { ByteCursor, END_OF_FILE, MalformedCastError } from "./byte-cursor.ts";
import { CastClock, CastFacts, type ImportedFact } from "./cast-facts.ts";
import {
  type CastHeader,
  parseCastHeader,
  parseJson,
  readOpening,
  skipBlank,
} from "./cast-header.ts";

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

/** Tells the frames of version 1, an array of `[delay, data]`. */
function* readFrames(frames: readonly unknown[]): Generator<ImportedFact> {
  const facts = new CastFacts(new CastClock("intervals"));
  for (const frame of frames) {
    if (!Array.isArray(frame) || frame.length !== 2) {
      throw new MalformedCastError("a frame is not `[delay, data]`");
    }
    yield* facts.of(frame[0], "o", frame[1]);
  }
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
  /** The frames of version 1. */
  readonly #frames: readonly unknown[];
  #outcome: ImportOutcome | undefined;

  /** Throws `MalformedCastError` when the file is no cast. */
  constructor(cursor: ByteCursor, sizeBytes: () => number | undefined) {
    this.#cursor = cursor;
    const attributes = readOpening(cursor, sizeBytes);
    this.header = parseCastHeader(attributes);
    this.#frames = this.header.version === 1 ? requireFrames(attributes.get("stdout")) : [];
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

  *#documentFacts(): Generator<ImportedFact> {
    yield* readFrames(this.#frames);
    if (skipBlank(this.#cursor) !== END_OF_FILE)
      throw new MalformedCastError("unexpected data after the cast");
  }

  #stopped(reason: string): ImportOutcome {
    return { complete: false, line: this.#cursor.line, reason };
  }
}

function requireFrames(stdout: unknown): readonly unknown[] {
  if (stdout === undefined) throw new MalformedCastError("`stdout` is missing", "stdout");
  if (Array.isArray(stdout)) return stdout;
  throw new MalformedCastError("`stdout` is not an array", "stdout");
}

/**
 * Reads an asciicast file that nobody vouches for, in pieces of any size; throws `invalid_argument` when it is none.
 * A damaged one is read up to the damage where it has lines; version 1 is one object, which is JSON or not.
 *
 * @param sizeBytes How many bytes the file has, where that is known.
 */
export function importAsciicast(
  pieces: Iterable<Uint8Array>,
  sizeBytes: () => number | undefined = () => undefined,
): AsciicastImport {
  const cursor = new ByteCursor(pieces);
  try {
    return new AsciicastImport(cursor, sizeBytes);
  } catch (problem) {
    cursor.close();
    if (!(problem instanceof MalformedCastError)) throw problem;
    const { field, message, line = cursor.line } = problem;
    const where = field === undefined ? `line ${line}` : "the header of the cast";
    throw new NacreError("invalid_argument", `${where}: ${message}`, {
      ...(field !== undefined && { field }),
      details: { line },
      suggestion: "Give an asciicast file of version 1, 2 or 3, as asciinema writes them.",
    });
  }
}

/** Reads the events of version 2 and 3, one per line. */
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
