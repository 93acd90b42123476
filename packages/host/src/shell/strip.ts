import { ByteEdits } from "./byte-edits.ts";
import { ControlScanner } from "./control-scanner.ts";
import { addCut, type Cut } from "./cut.ts";
import { isMarker } from "./osc.ts";
import { ViewClamp } from "./view-clamp.ts";

/** What a view leaves out of some bytes. */
export interface ViewCuts {
  readonly cuts: readonly Cut[];
  /** Nothing is open where a cut or the end is, and nothing needs to be clamped. */
  readonly isPlain: boolean;
}

/** Finds what views leave out of one recorded entry: Markers, and what begins Controls that were given up as unfinished. */
export function findCuts(bytes: Uint8Array<ArrayBuffer>): ViewCuts {
  const scanner = new ControlScanner(bytes);
  const cuts: Cut[] = [];
  while (scanner.next()) addCutsOf(scanner, cuts);
  // Our entries end inside a Control only where nothing completed it in time.
  for (const { from, to } of scanner.leftOut) addCut(cuts, from, to);
  return { cuts, isPlain: scanner.isPlain && scanner.tail === bytes.byteLength };
}

function addCutsOf(scanner: ControlScanner, cuts: Cut[]): void {
  const { kind, isTerminated, start, end } = scanner;
  const isCut = kind === "osc" && isTerminated && isMarker(scanner.body);
  // What ends a marker is cut with it.
  for (const { from, to } of scanner.leftOut) if (!isCut || to <= start) addCut(cuts, from, to);
  if (isCut) addCut(cuts, start, end);
}

/** The bytes of one recorded entry without what views leave out of it; the same object when there is nothing. */
export function stripMarkers(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { cuts, isPlain } = findCuts(bytes);
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
