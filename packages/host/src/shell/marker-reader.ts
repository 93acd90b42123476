import { type Marker, parseMarker } from "./marker.ts";
import type { MarkerNonces } from "./marker-codes.ts";
import type { MarkerFamily } from "./osc.ts";

/** More Markers of others in one piece of output come from a flood, not from a shell; they are not taken for real. */
const MAX_FOREIGN_MARKERS = 64;

const NONCE_FIELD = ";nacre=";

/** Whose Markers count. */
export interface MarkerTrust {
  /** The codes of our own integration; without them no Marker is proven. */
  readonly nonces?: MarkerNonces | undefined;
  /** Takes Markers without a code as well, which any program can print. */
  readonly trustForeign?: boolean | undefined;
}

/** Decides which Markers count: one that has a code only when the code is good, whoever else is trusted. */
export class MarkerReader {
  readonly #nonces: MarkerNonces | undefined;
  readonly #trustForeign: boolean;
  #foreignLeft = MAX_FOREIGN_MARKERS;

  constructor({ nonces: codes, trustForeign = false }: MarkerTrust) {
    this.#nonces = codes;
    this.#trustForeign = trustForeign;
  }

  /** Says that new output arrived. */
  begin(): void {
    this.#foreignLeft = MAX_FOREIGN_MARKERS;
  }

  /** The Marker when it counts and says something that matters. */
  read(family: MarkerFamily, payload: string): Marker | undefined {
    const at = payload.lastIndexOf(NONCE_FIELD);
    if (at < 0) return this.#readForeign(family, payload);
    if (!this.#nonces?.accept(payload.slice(at + NONCE_FIELD.length))) return undefined;
    const meaning = parseMarker(family, payload.slice(0, at));
    return meaning && { ...meaning, quality: "exact" };
  }

  #readForeign(family: MarkerFamily, payload: string): Marker | undefined {
    if (!this.#trustForeign || this.#foreignLeft === 0) return undefined;
    const meaning = parseMarker(family, payload);
    if (!meaning) return undefined;
    this.#foreignLeft--;
    return { ...meaning, quality: "marker" };
  }
}
