import { NacreError } from "@nacre/contracts";
import { ByteCursor, END_OF_FILE } from "./byte-cursor.ts";
import type { ImportedFact } from "./cast-facts.ts";
import { readFrames } from "./cast-frames.ts";
import { type CastHeader, parseCastHeader } from "./cast-header.ts";
import { readEventLines, takeEndOfHeader } from "./cast-lines.ts";
import { type CastOpening, readOpening } from "./cast-opening.ts";
import { skipBlank } from "./json-value.ts";
import { MalformedCastError } from "./malformed.ts";
import { dropLaterExits } from "./one-exit.ts";

/** Tells whether a file was right to its end, or where the part that could be read ends. */
export type ImportOutcome =
  | { readonly complete: true }
  | { readonly complete: false; readonly line: number; readonly reason: string };

/** A cast that is being read, only as far as its facts are; the file is let go of with the last fact or by `using`. */
export class AsciicastImport implements Disposable {
  readonly header: CastHeader;
  /** What the file tells, in order; can be read once. */
  readonly facts: Iterable<ImportedFact>;
  readonly #cursor: ByteCursor;
  readonly #opening: CastOpening;
  /** Differs from the file's own while frames that were held back are read. */
  #readAt: ByteCursor;
  #outcome: ImportOutcome | undefined;

  /** Throws `Malformed` when the file is no cast. */
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

  /** To be asked when the facts were read. */
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

  /** Version 1 is one object, which may go on behind the frames. */
  *#documentFacts(): Generator<ImportedFact> {
    const { frames = this.#cursor, unfinished } = this.#opening;
    this.#readAt = frames;
    yield* readFrames(frames);
    this.#readAt = this.#cursor;
    while (unfinished?.takeKey() !== undefined) unfinished.takeValue();
    if (skipBlank(this.#cursor) !== END_OF_FILE)
      throw new MalformedCastError("something follows the cast");
  }

  #stopped(reason: string): ImportOutcome {
    return { complete: false, line: this.#readAt.line, reason };
  }
}

/** Reads an asciicast file that nobody vouches for, in pieces of any size; throws `invalid_argument` when it is none, and reads a damaged one up to the damage. */
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
