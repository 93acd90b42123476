import { ByteEdits } from "./byte-edits.ts";
import { ViewClamp } from "./view-clamp.ts";
import { ControlScanner } from "./control-scanner.ts";
import { isMarker } from "./osc.ts";

/** A range of bytes that no view shows. */
export interface Cut {
  readonly from: number;
  readonly to: number;
}

/** What a view leaves out of some bytes. */
export interface MarkerCuts {
  readonly cuts: readonly Cut[];
  /** Nothing is open where a cut or the end is, and nothing needs to be clamped. */
  readonly isPlain: boolean;
}

/** Finds the Markers in the bytes of one recorded entry. */
export function findMarkers(bytes: Uint8Array<ArrayBuffer>): MarkerCuts {
  const scanner = new ControlScanner(bytes);
  const cuts: Cut[] = [];
  while (scanner.next()) {
    const isOsc = scanner.kind === "osc" && scanner.isTerminated;
    if (isOsc && isMarker(scanner.body)) addCut(cuts, scanner.start, scanner.end);
  }
  return { cuts, isPlain: scanner.isPlain && scanner.tail === bytes.byteLength };
}

/** Adds a range behind all others; one that follows another at once makes it longer. */
export function addCut(cuts: Cut[], from: number, to: number): void {
  const last = cuts.at(-1);
  if (last?.to === from) cuts[cuts.length - 1] = { from: last.from, to };
  else cuts.push({ from, to });
}

/** The bytes of one recorded entry without Markers, verified or not; the same object when there is none in it. */
export function stripMarkers(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { cuts, isPlain } = findMarkers(bytes);
  const edits = new ByteEdits(bytes);
  const viewer = new ViewClamp();
  let seen = 0;
  for (const { from, to } of cuts) {
    if (!isPlain) viewer.push(bytes.subarray(seen, from));
    edits.replace(from, to, viewer.terminator);
    viewer.push(viewer.terminator);
    seen = to;
  }
  return edits.result();
}
