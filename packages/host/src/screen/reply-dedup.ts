import type { ReplyPosition } from "./screen-protocol.ts";

/** Per second; a program that asks more often tries to flood its own input. */
const MAX_REPLIES = 100;

const WINDOW_MS = 1000;

export class ReplyRateLimit {
  readonly #times: number[] = [];

  /** `now` in ms of any clock; counts the reply. */
  allows(now: number): boolean {
    const [oldest = -Infinity] = this.#times;
    if (this.#times.length >= MAX_REPLIES && now - oldest < WINDOW_MS) return false;
    if (this.#times.length >= MAX_REPLIES) this.#times.shift();
    this.#times.push(now);
    return true;
  }
}

/** Sends each reply once, however often its query is drawn again. */
export class ReplyDedup {
  readonly #send: (reply: Uint8Array<ArrayBuffer>) => void;
  readonly #limit = new ReplyRateLimit();
  #last: ReplyPosition;

  /** Queries up to and including `sequence` are answered already. */
  constructor(sequence: number, send: (reply: Uint8Array<ArrayBuffer>) => void) {
    this.#send = send;
    this.#last = endOfSequence(sequence);
  }

  /** Sends the reply unless this query or a later one was answered before. */
  offer(place: ReplyPosition, text: string, now = performance.now()): void {
    if (!isBefore(this.#last, place)) return;
    this.#last = place;
    if (this.#limit.allows(now)) this.#send(new TextEncoder().encode(text));
  }

  /** Everything up to and including this sequence is drawn. */
  close(sequence: number): void {
    const end = endOfSequence(sequence);
    if (isBefore(this.#last, end)) this.#last = end;
  }
}

const endOfSequence = (sequence: number): ReplyPosition => ({
  sequence,
  offset: Infinity,
  ordinal: Infinity,
});

function isBefore(one: ReplyPosition, other: ReplyPosition): boolean {
  if (one.sequence !== other.sequence) return one.sequence < other.sequence;
  if (one.offset !== other.offset) return one.offset < other.offset;
  return one.ordinal < other.ordinal;
}
