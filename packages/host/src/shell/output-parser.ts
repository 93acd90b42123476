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
  /** Original bytes, in a buffer that nobody else uses, so that it can be transferred. */
  readonly raw: Uint8Array<ArrayBuffer>;
  /** `raw` without markers, byte for byte; the same object when there are none. */
  readonly view: Uint8Array<ArrayBuffer>;
  /** What the host draws: numbers and strings bounded, text behind unfinished escape sequences made visible; mostly the same object as `view`. */
  readonly drawn: Uint8Array<ArrayBuffer>;
  /** The last one set. */
  readonly title?: string;
  /** The last one reported without a marker; any program can do that. */
  readonly cwd?: string;
  /** Ends the piece. */
  readonly marker?: Marker;
}

interface PieceDraft {
  readonly from: number;
  readonly cuts: OmittedRange[];
  readonly facts: OscFact[];
}

interface OscFact {
  readonly at: number;
  readonly title?: string;
  readonly cwd?: string;
}

/** Splits the output of one terminal into pieces; the result depends on the bytes, not on how they were chunked. */
export class OutputParser {
  readonly #markers: MarkerReader;
  readonly #screen = new EmulatorInputFilter();
  #held = NO_BYTES;
  #modes = INITIAL_MODES;

  constructor(options: MarkerTrust = {}) {
    this.#markers = new MarkerReader(options);
  }

  /** Bytes held back until they are complete. */
  get heldBytes(): number {
    return this.#held.byteLength;
  }

  /** As of the last piece. */
  get modes(): TerminalModes {
    return this.#modes;
  }

  /** Whether a viewer may start after the last piece. */
  get isGround(): boolean {
    return this.#screen.isGround;
  }

  /** Takes ownership of a chunk and returns everything complete. */
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
    // A control that was given up gets a piece of its own, so that a replay recognises it.
    for (const end of givenUpFrom < tail ? [givenUpFrom, tail] : [tail]) {
      if (end <= draft.from) continue;
      // Held bytes have a buffer of their own, so a single piece needs no copy.
      const isSingle = draft.from === 0 && end === tail;
      const raw = isSingle ? upTo(input, tail) : slicePart(input, draft.from, end);
      pieces.push(this.#piece(raw, draft, scanner));
      draft = { ...draft, from: end, facts: draft.facts.filter(({ at }) => at >= end) };
    }
    return pieces;
  }

  /** Releases held bytes: nothing completed them in time, or nothing will. */
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
        // Without a terminator it could not be told from an unfinished one at the end of a piece.
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
    // Unusual bytes are scanned again, exactly as a replay will.
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

/** In a buffer of its own; the original when it is the whole. */
const slicePart = (
  bytes: Uint8Array<ArrayBuffer>,
  from: number,
  to: number,
): Uint8Array<ArrayBuffer> => (to - from === bytes.byteLength ? bytes : copyBytes(bytes, from, to));
