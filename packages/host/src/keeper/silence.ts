/** How often it is looked whether a keeper that owes an answer says anything. */
const LOOK_MS = 500;

/** A keeper that has nothing to say for two looks is asked whether it is there. */
const LOOKS_TO_ASK = 2;

/** After so many looks without a word (5 s) nobody waits any longer. */
const MAX_LOOKS = 10;

/** Who asks, and is told. */
export interface SilenceParts {
  /** Asks for a word, whatever it is. */
  ask(): void;
  /** The keeper owes answers and says nothing. */
  handleSilence(): void;
  /** It has said something again. */
  handleWord(): void;
}

/** Notices a keeper that is there and does not answer, such as one that was stopped. Looks are counted, not time: whoever was stopped as long as its keeper has to listen first. */
export class Silence implements Disposable {
  readonly #parts: SilenceParts;
  #timer: NodeJS.Timeout | undefined;
  #looks = 0;
  #isSilent = false;

  constructor(parts: SilenceParts) {
    this.#parts = parts;
  }

  /** Whether it is not worth asking for anything. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** Somebody waits for an answer. */
  expect(): void {
    if (this.#timer) return;
    this.#looks = 0;
    this.#timer = setInterval(() => this.#look(), LOOK_MS).unref();
  }

  /** The keeper said something; tells whether more is owed. */
  hear(isMoreOwed: boolean): void {
    this.#looks = 0;
    if (!isMoreOwed) this[Symbol.dispose]();
    if (!this.#isSilent) return;
    this.#isSilent = false;
    this.#parts.handleWord();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #look(): void {
    if (++this.#looks === LOOKS_TO_ASK) this.#parts.ask();
    if (this.#looks !== MAX_LOOKS) return;
    this.#isSilent = true;
    this.#parts.handleSilence();
  }
}
