import { type Marker, readMarker } from "./marker.ts";
import type { MarkerCodes } from "./marker-codes.ts";
import type { MarkerFamily } from "./osc.ts";

/** More Markers of others in one piece of output come from a flood, not from a shell; they are not taken for real. */
const MAX_FOREIGN_MARKERS = 64;

const CODE_FIELD = ";nacre=";

/** Whose Markers count. */
export interface MarkerTrust {
  /** The codes of our own integration; without them no Marker is proven. */
  readonly codes?: MarkerCodes | undefined;
  /** Takes Markers without a code as well, which any program can print. */
  readonly trustForeign?: boolean | undefined;
}

/** Decides which Markers count: one that has a code only when the code is good, whoever else is trusted. */
export class MarkerReader {
  readonly #codes: MarkerCodes | undefined;
  readonly #trustForeign: boolean;
  #foreignLeft = MAX_FOREIGN_MARKERS;

  constructor({ codes, trustForeign = false }: MarkerTrust) {
    this.#codes = codes;
    this.#trustForeign = trustForeign;
  }

  /** Says that new output arrived. */
  begin(): void {
    this.#foreignLeft = MAX_FOREIGN_MARKERS;
  }

  /** The Marker when it counts and says something that matters. */
  read(family: MarkerFamily, payload: string): Marker | undefined {
    const at = payload.lastIndexOf(CODE_FIELD);
    if (at < 0) return this.#readForeign(family, payload);
    if (!this.#codes?.accept(payload.slice(at + CODE_FIELD.length))) return undefined;
    const meaning = readMarker(family, payload.slice(0, at));
    return meaning && { ...meaning, quality: "exact" };
  }

  #readForeign(family: MarkerFamily, payload: string): Marker | undefined {
    if (!this.#trustForeign || this.#foreignLeft === 0) return undefined;
    const meaning = readMarker(family, payload);
    if (!meaning) return undefined;
    this.#foreignLeft--;
    return { ...meaning, quality: "marker" };
  }
}
