/** While more comes than can be indexed, so many times as long as each step took the processor is left to whoever records and shows it. */
const FLOOD_REST_FACTOR = 9;

/** A step ends here, whatever is left: then others have the processor. */
const MAX_STEP_MS = 20;

/** A step on a busy machine can take long without having worked. */
const MAX_REST_MS = 200;

/** Whoever is left behind by step after step does not catch up before the flood is over, and rests up to so many times as long. */
const MAX_BACKOFF_FACTOR = 8;

/** While text comes without a pause, trigrams wait; not for ever, because something may always come. */
const MAX_TRIGRAMS_WAIT_MS = 5000;

/** How much of the processor indexing takes: what is recorded can be found a little later, but must not be recorded later. */
export class IndexerThrottle {
  readonly #now: () => number;
  #begunAt = 0;
  #trigramsAt = Number.NEGATIVE_INFINITY;
  #hasChanges = false;
  #isFlooded = false;
  #isFull = false;
  #backoff = 1;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Something was recorded; `isBehind` when something before it is not indexed yet. */
  noteChanges(isBehind: boolean): void {
    this.#hasChanges ||= isBehind;
  }

  /** A step begins. */
  beginStep(): void {
    this.#begunAt = this.#now();
    this.#isFlooded = this.#hasChanges;
    this.#hasChanges = false;
    this.#isFull = false;
  }

  /** More was there of a terminal than a step takes. */
  noteFull(): void {
    this.#isFull = true;
  }

  /** Whether the rest is for the next step. */
  get isStepOver(): boolean {
    return this.#now() - this.#begunAt >= MAX_STEP_MS;
  }

  /** Trigrams cost ten times as much as text, and what has none yet is found all the same, by looking at it. */
  mayIndexTrigrams(isTextDone: boolean): boolean {
    const now = this.#now();
    if (!isTextDone && now - this.#trigramsAt < MAX_TRIGRAMS_WAIT_MS) return false;
    this.#trigramsAt = now;
    return true;
  }

  /** A step is over: how long to wait before the next one. */
  endStep(): number {
    const tookMs = this.#now() - this.#begunAt;
    const isLeftBehind = this.#isFlooded && this.#isFull;
    const patience = isLeftBehind ? this.#backoff : 1;
    this.#backoff = isLeftBehind ? Math.min(2 * patience, MAX_BACKOFF_FACTOR) : 1;
    return this.#isFlooded ? patience * Math.min(FLOOD_REST_FACTOR * tookMs, MAX_REST_MS) : 0;
  }
}
