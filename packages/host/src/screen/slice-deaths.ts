import type { SlicePosition } from "./screen-wire.ts";

/** A slice that ended a thread this often is left out from then on. */
const MAX_CRASHES = 2;

/** Places that are remembered; who has more of them than this tries to make us remember. */
const MAX_SITES = 64;

/** Which slices of a recording end the threads that draw them. */
export class CrashSites {
  readonly #crashes = new Map<string, number>();
  readonly #skips: SlicePosition[] = [];

  /** Slices to leave out. */
  get skips(): readonly SlicePosition[] {
    return this.#skips;
  }

  /** Counts a death; true when the place has had too many. */
  add({ sequence, offset }: SlicePosition): boolean {
    const name = `${sequence}@${offset}`;
    const deaths = (this.#crashes.get(name) ?? 0) + 1;
    if (this.#crashes.size >= MAX_SITES) this.#crashes.clear();
    this.#crashes.set(name, deaths);
    if (deaths < MAX_CRASHES) return false;
    this.#skips.push({ sequence, offset });
    if (this.#skips.length > MAX_SITES) this.#skips.shift();
    return true;
  }
}
