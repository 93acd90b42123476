import type { SlicePlace } from "./screen-wire.ts";

/** A slice that ended a thread this often is left out from then on. */
const MAX_DEATHS = 2;

/** Places that are remembered; who has more of them than this tries to make us remember. */
const MAX_PLACES = 64;

/** Which slices of a recording end the threads that draw them. */
export class SliceDeaths {
  readonly #deaths = new Map<string, number>();
  readonly #skips: SlicePlace[] = [];

  /** Slices to leave out. */
  get skips(): readonly SlicePlace[] {
    return this.#skips;
  }

  /** Counts a death; true when the place has had too many. */
  add({ sequence, offset }: SlicePlace): boolean {
    const name = `${sequence}@${offset}`;
    const deaths = (this.#deaths.get(name) ?? 0) + 1;
    if (this.#deaths.size >= MAX_PLACES) this.#deaths.clear();
    this.#deaths.set(name, deaths);
    if (deaths < MAX_DEATHS) return false;
    this.#skips.push({ sequence, offset });
    if (this.#skips.length > MAX_PLACES) this.#skips.shift();
    return true;
  }
}
