import {
  addOmittedRange,
  concatBytes,
  copyBytes,
  NO_BYTES,
  type OmittedRange,
} from "./byte-edits.ts";
import { EscapeSequenceScanner } from "./escape-sequence-scanner.ts";
import { type Marker, MarkerReader, type MarkerTrust } from "./marker.ts";
import { parseOsc } from "./osc.ts";
import { EmulatorInputFilter } from "./emulator-input-filter.ts";
import { stripMarkers } from "./strip-markers.ts";
import {
  INITIAL_MODES,
  modesAfterCsi,
  modesAfterEscape,
  type TerminalModes,
} from "./terminal-modes.ts";

/** Output that can be recorded as one entry: no escape sequence or code point stands across its end, unless it was released. */
export interface OutputPiece {
  /** What the program wrote. Nobody else uses its buffer, so that it can be transferred to another thread. */
  readonly raw: Uint8Array<ArrayBuffer>;
  /** What viewers get: `raw` without Markers, byte for byte; the same object when there are none. */
  readonly view: Uint8Array<ArrayBuffer>;
  /** What the host draws: numbers and strings bounded, text behind unfinished escape sequences made visible; mostly the same object as `view`. */
  readonly drawn: Uint8Array<ArrayBuffer>;
  /** The last title that was set. */
  readonly title?: string;
  /** The last working directory that was told by other means than a Marker; any program can do that. */
  readonly cwd?: string;
  /** The Marker that ends the piece. */
  readonly marker?: Marker;
}

/** A piece while its end is not known. */
interface PieceDraft {
  readonly from: number;
  readonly cuts: OmittedRange[];
  readonly facts: OscFact[];
}

/** What an OSC at a place says. */
interface OscFact {
  readonly at: number;
  readonly title?: string;
  readonly cwd?: string;
}

/** Turns the chunks of one Terminal's output into pieces; what comes out depends on the bytes, not on the chunks. */
export class OutputParser {
  readonly #markers: MarkerReader;
  readonly #screen = new EmulatorInputFilter();
  #held = NO_BYTES;
  #modes = INITIAL_MODES;

  constructor(options: MarkerTrust = {}) {
    this.#markers = new MarkerReader(options);
  }

  /** How many bytes wait for those that complete them. */
  get heldBytes(): number {
    return this.#held.byteLength;
  }

  /** The modes as of the last piece. */
  get modes(): TerminalModes {
    return this.#modes;
  }

  /** Tells whether a viewer may begin behind the last piece. */
  get isGround(): boolean {
    return this.#screen.isGround;
  }

  /** Takes a chunk over and gives out all that is complete. */
  push(bytes: Uint8Array<ArrayBuffer>): readonly OutputPiece[] {
    if (bytes.byteLength === 0) return [];
    const input = this.#held.byteLength === 0 ? bytes : concatBytes([this.#held, bytes]);
    this.#markers.begin();
    const scanner = new EscapeSequenceScanner(input);
    const pieces: OutputPiece[] = [];
    let draft: PieceDraft = { from: 0, cuts: [], facts: [] };
    while (scanner.next()) {
      const marker = this.#handle(scanner, draft);
      if (!marker) continue;
      const raw = slicePart(input, draft.from, scanner.end);
      pieces.push({ ...this.#piece(raw, draft, scanner), marker });
      draft = { from: scanner.end, cuts: [], facts: [] };
    }
    const { tail, givenUpFrom } = scanner;
    this.#held = copyBytes(input, tail);
    // What is given up stands alone, so that it is known again.
    for (const end of givenUpFrom < tail ? [givenUpFrom, tail] : [tail]) {
      if (end <= draft.from) continue;
      // What is held has a buffer of its own, so a single piece can stay where it is.
      const isSingle = draft.from === 0 && end === tail;
      const raw = isSingle ? upTo(input, tail) : slicePart(input, draft.from, end);
      pieces.push(this.#piece(raw, draft, scanner));
      draft = { ...draft, from: end, facts: draft.facts.filter(({ at }) => at >= end) };
    }
    return pieces;
  }

  /** Gives out what is held, as it is: nothing completed it in time, or nothing will. */
  flush(): readonly OutputPiece[] {
    const raw = this.#held;
    this.#held = NO_BYTES;
    return raw.byteLength === 0
      ? []
      : [{ raw, view: stripMarkers(raw), drawn: this.#screen.push(raw) }];
  }

  /** Takes in what the escape sequence that was found says; tells the Marker when it is one that counts. */
  #handle(scanner: EscapeSequenceScanner, draft: PieceDraft): Marker | undefined {
    switch (scanner.kind) {
      case "csi":
        this.#modes = modesAfterCsi(this.#modes, scanner.body);
        return undefined;
      case "escape":
        this.#modes = modesAfterEscape(this.#modes, scanner.body);
        return undefined;
      case "osc":
        return this.#handleOsc(scanner, draft);
      case "void":
        return undefined;
    }
  }

  #handleOsc(scanner: EscapeSequenceScanner, draft: PieceDraft): Marker | undefined {
    const { body, start, end, isTerminated } = scanner;
    const osc = parseOsc(body);
    switch (osc?.kind) {
      case "title":
        draft.facts.push({ at: start, title: osc.title });
        return undefined;
      case "cwd":
        draft.facts.push({ at: start, cwd: osc.path });
        return undefined;
      case "marker":
        // Without an end of its own it could not be told from an unfinished one where a piece ends.
        if (!isTerminated) return undefined;
        addOmittedRange(draft.cuts, start - draft.from, end - draft.from);
        return this.#markers.read(osc.family, osc.payload);
      case undefined:
        return undefined;
    }
  }

  #piece(
    raw: Uint8Array<ArrayBuffer>,
    draft: PieceDraft,
    scanner: EscapeSequenceScanner,
  ): OutputPiece {
    const { cuts, facts, from } = draft;
    const wasGround = this.#screen.isGround;
    const { isPlain } = scanner;
    // What is odd is looked at once more, as a replay will look at it.
    const drawn = isPlain ? this.#screen.push(raw, { cuts, isPlain }) : this.#screen.push(raw);
    const view = isPlain && wasGround ? drawn : stripMarkers(raw);
    const end = from + raw.byteLength;
    const piece = { raw, view, drawn };
    for (const { at, ...fact } of facts) if (at < end) Object.assign(piece, fact);
    return piece;
  }
}

const upTo = (bytes: Uint8Array<ArrayBuffer>, end: number): Uint8Array<ArrayBuffer> =>
  end === bytes.byteLength ? bytes : bytes.subarray(0, end);

/** A part in a buffer of its own; the very bytes when it is all of them. */
const slicePart = (
  bytes: Uint8Array<ArrayBuffer>,
  from: number,
  to: number,
): Uint8Array<ArrayBuffer> => (to - from === bytes.byteLength ? bytes : copyBytes(bytes, from, to));
