/** Answers a program gets in a second; who asks more often wants to flood its own input. */
const MAX_REPLIES = 100;

const WINDOW_MS = 1000;

/** Lets a number of replies through in every second, and no more. */
export class ReplyRateLimit {
  readonly #times: number[] = [];

  /** Whether a reply may be sent at this time, in milliseconds of any clock; counts it if so. */
  allows(now: number): boolean {
    const [oldest = -Infinity] = this.#times;
    if (this.#times.length >= MAX_REPLIES && now - oldest < WINDOW_MS) return false;
    if (this.#times.length >= MAX_REPLIES) this.#times.shift();
    this.#times.push(now);
    return true;
  }
}
