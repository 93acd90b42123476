import { addOmittedRange, ByteEdits, concatBytes, type OmittedRange } from "./byte-edits.ts";
import { EscapeSequenceScanner } from "./escape-sequence-scanner.ts";
import { isMarker } from "./osc.ts";
import { SequenceLimiter } from "./sequence-limiter.ts";

interface ViewCuts {
  readonly cuts: readonly OmittedRange[];
  /** No sequence is open at a cut or at the end, and nothing needs clamping. */
  readonly isPlain: boolean;
}

/** Finds what is not drawn of one recorded entry: Markers, and what begins escape sequences that were given up as unfinished. */
function findCuts(bytes: Uint8Array<ArrayBuffer>): ViewCuts {
  const scanner = new EscapeSequenceScanner(bytes);
  const cuts: OmittedRange[] = [];
  while (scanner.next()) addCutsOf(scanner, cuts);
  // Our entries end inside an escape sequence only where nothing completed it in time.
  for (const { from, to } of scanner.leftOut) addOmittedRange(cuts, from, to);
  return { cuts, isPlain: scanner.isPlain && scanner.tail === bytes.byteLength };
}

function addCutsOf(scanner: EscapeSequenceScanner, cuts: OmittedRange[]): void {
  const { kind, isTerminated, start, end } = scanner;
  const isCut = kind === "osc" && isTerminated && isMarker(scanner.body);
  // The terminator of a marker is cut with it.
  for (const { from, to } of scanner.leftOut)
    if (!isCut || to <= start) addOmittedRange(cuts, from, to);
  if (isCut) addOmittedRange(cuts, start, end);
}

/**
 * Makes what the host draws of one Terminal's raw output, entry by entry: without Markers and without the beginnings of
 * escape sequences that were given up, so that text behind them is seen, and with bounded numbers and strings. Live and in a
 * replay, from the same point on, it gives the same. Who shows the output elsewhere gets `stripMarkers`.
 */
export class EmulatorInputFilter {
  readonly #clamp = new SequenceLimiter();

  /** No sequence is open, so that a viewer may start here. */
  get isGround(): boolean {
    return this.#clamp.isGround;
  }

  /** The same object when nothing differs, else a copy. */
  push(raw: Uint8Array<ArrayBuffer>, found: ViewCuts = findCuts(raw)): Uint8Array<ArrayBuffer> {
    const { cuts, isPlain } = found;
    if (isPlain && this.isGround) return removeCuts(raw, found);
    if (cuts.length === 0) return this.#clamp.push(raw);
    const parts: Uint8Array[] = [];
    let seen = 0;
    for (const { from, to } of cuts) {
      parts.push(this.#clamp.push(raw.subarray(seen, from)));
      parts.push(this.#clamp.push(this.#clamp.terminator));
      seen = to;
    }
    parts.push(this.#clamp.push(raw.subarray(seen)));
    return concatBytes(parts);
  }
}

function removeCuts(raw: Uint8Array<ArrayBuffer>, { cuts }: ViewCuts): Uint8Array<ArrayBuffer> {
  const edits = new ByteEdits(raw);
  for (const { from, to } of cuts) edits.replace(from, to);
  return edits.result();
}
