/** In a flood, rests this many times as long as each step worked, for recording and drawing. */
const FLOOD_REST_FACTOR = 9;

/** A step ends here, so that others get the CPU. */
const MAX_STEP_MS = 20;

/** On a busy machine a step can take long without having worked. */
const MAX_REST_MS = 200;

/**
 * An indexer that falls behind step after step cannot catch up before the flood ends, and rests up to this many times
 * as long.
 */
const MAX_BACKOFF_FACTOR = 8;

/** Trigrams wait while text keeps coming, but not for ever. */
const MAX_TRIGRAMS_WAIT_MS = 5000;

/** Bounds the CPU share of indexing: text may be found later, but must not be recorded later. */
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

  /** `isBehind`: earlier changes are not indexed yet. */
  noteChanges(isBehind: boolean): void {
    this.#hasChanges ||= isBehind;
  }

  beginStep(): void {
    this.#begunAt = this.#now();
    this.#isFlooded = this.#hasChanges;
    this.#hasChanges = false;
    this.#isFull = false;
  }

  /** A terminal had more than fits into a step. */
  noteFull(): void {
    this.#isFull = true;
  }

  get isStepOver(): boolean {
    return this.#now() - this.#begunAt >= MAX_STEP_MS;
  }

  /** Trigrams cost ten times as much as text, and blocks without them are scanned anyway. */
  mayIndexTrigrams(isTextDone: boolean): boolean {
    const now = this.#now();
    if (!isTextDone && now - this.#trigramsAt < MAX_TRIGRAMS_WAIT_MS) return false;
    this.#trigramsAt = now;
    return true;
  }

  /** Returns the pause before the next step. */
  endStep(): number {
    const tookMs = this.#now() - this.#begunAt;
    const isLeftBehind = this.#isFlooded && this.#isFull;
    const patience = isLeftBehind ? this.#backoff : 1;
    this.#backoff = isLeftBehind ? Math.min(2 * patience, MAX_BACKOFF_FACTOR) : 1;
    return this.#isFlooded ? patience * Math.min(FLOOD_REST_FACTOR * tookMs, MAX_REST_MS) : 0;
  }
}
