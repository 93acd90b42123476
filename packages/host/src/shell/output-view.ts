import { ByteEdits, joined } from "./byte-edits.ts";
import { findCuts, type ViewCuts } from "./strip.ts";
import { ViewClamp } from "./view-clamp.ts";

/**
 * Makes what viewers get of one Terminal's raw output, entry by entry: without Markers and without the beginnings of
 * Controls that were given up, with bounded numbers and strings. Live and in a replay, from the same point on, it gives
 * the same.
 */
export class OutputView {
  readonly #clamp = new ViewClamp();

  /** Tells whether nothing is open, so that a viewer may begin here. */
  get isGround(): boolean {
    return this.#clamp.isGround;
  }

  /** The view of the next bytes: the same object when nothing differs, else bytes of their own. */
  push(raw: Uint8Array<ArrayBuffer>, found: ViewCuts = findCuts(raw)): Uint8Array<ArrayBuffer> {
    const { cuts, isPlain } = found;
    if (isPlain && this.isGround) return without(raw, found);
    if (cuts.length === 0) return this.#clamp.push(raw);
    const parts: Uint8Array[] = [];
    let seen = 0;
    for (const { from, to } of cuts) {
      parts.push(this.#clamp.push(raw.subarray(seen, from)));
      parts.push(this.#clamp.push(this.#clamp.terminator));
      seen = to;
    }
    parts.push(this.#clamp.push(raw.subarray(seen)));
    return joined(parts);
  }
}

function without(raw: Uint8Array<ArrayBuffer>, { cuts }: ViewCuts): Uint8Array<ArrayBuffer> {
  const edits = new ByteEdits(raw);
  for (const { from, to } of cuts) edits.replace(from, to);
  return edits.result();
}
