import { MalformedCastError } from "./malformed.ts";

/** No recording takes a century; longer ones would lead to moments that have no timestamp. */
export const MAX_ELAPSED_S = 100 * 365 * 24 * 60 * 60;

/** Intervals are added up in microseconds, as recorders write them, so that rounding does not add up. */
const MICROSECONDS_PER_SECOND = 1_000_000;
const MICROSECONDS_PER_MS = 1000;

/** Tells what the times in a cast mean: seconds since the event before, or since the beginning. */
type TimesAre = "intervals" | "absolute";

/** Turns the times of a cast into elapsed milliseconds, which never go back. */
export class CastClock {
  readonly #timesAre: TimesAre;
  #elapsedMicroseconds = 0;

  constructor(timesAre: TimesAre) {
    this.#timesAre = timesAre;
  }

  /** The elapsed milliseconds of the next event, with its time as the file has it. */
  elapsedMsAt(time: unknown): number {
    if (typeof time !== "number" || !(time >= 0)) {
      throw new MalformedCastError("the time of an event is not a number of seconds from 0 on");
    }
    // A time too large for a double is infinite here, and refused just so.
    const microseconds = Math.round(time * MICROSECONDS_PER_SECOND);
    const elapsed =
      this.#timesAre === "intervals"
        ? this.#elapsedMicroseconds + microseconds
        : Math.max(this.#elapsedMicroseconds, microseconds);
    if (elapsed > MAX_ELAPSED_S * MICROSECONDS_PER_SECOND) {
      throw new MalformedCastError(`the time of an event is more than ${MAX_ELAPSED_S} seconds`);
    }
    this.#elapsedMicroseconds = elapsed;
    return Math.round(elapsed / MICROSECONDS_PER_MS);
  }
}
