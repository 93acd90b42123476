/** More parameters than this are dropped; the longest real sequences have half as many, and a bit is kept for each. */
export const MAX_PARAMETERS = 32;

/** A larger number means the same: no screen has as many rows or columns. */
export const MAX_PARAMETER = 9_999;

/** Real sequences have one intermediate character; one with more is understood by nobody. */
export const MAX_INTERMEDIATES = 2;

/** A parameter that was left out. */
const OMITTED = -1;

/** A control sequence that is not complete yet, as plain JSON. */
export interface CsiState {
  readonly prefix: string;
  readonly intermediates: string;
  readonly numbers: readonly number[];
  readonly colons: number;
  readonly isFull: boolean;
  readonly isMalformed: boolean;
}

/** A control sequence between its introducer and its final character. */
export class Csi {
  #prefix = "";
  #intermediates = "";
  readonly #numbers: number[] = [OMITTED];
  /** A bit for each parameter that a colon made part of the one before. */
  #colons = 0;
  /** There were more parameters than are kept. */
  #isFull = false;
  #isMalformed = false;

  constructor(state?: CsiState) {
    if (!state) return;
    this.#prefix = state.prefix;
    this.#intermediates = state.intermediates;
    this.#numbers.splice(0, 1, ...state.numbers);
    this.#colons = state.colons;
    this.#isFull = state.isFull;
    this.#isMalformed = state.isMalformed;
  }

  get isMalformed(): boolean {
    return this.#isMalformed;
  }

  /** Parameters that are kept; at least one, because a sequence without any has one that is left out. */
  get length(): number {
    return this.#numbers.length;
  }

  begin(): void {
    this.#prefix = "";
    this.#intermediates = "";
    this.#numbers.length = 1;
    this.#numbers[0] = OMITTED;
    this.#colons = 0;
    this.#isFull = false;
    this.#isMalformed = false;
  }

  addDigit(digit: number): void {
    if (this.#intermediates !== "") this.#isMalformed = true;
    if (this.#isFull) return;
    const last = this.#numbers.length - 1;
    const number = Math.max(0, this.#numbers[last] ?? 0) * 10 + digit;
    this.#numbers[last] = Math.min(number, MAX_PARAMETER);
  }

  addSeparator(isColon: boolean): void {
    if (this.#intermediates !== "") this.#isMalformed = true;
    this.#isFull ||= this.#numbers.length === MAX_PARAMETERS;
    if (this.#isFull) return;
    if (isColon) this.#colons |= 1 << this.#numbers.length;
    this.#numbers.push(OMITTED);
  }

  addPrefix(prefix: string): void {
    const isFirst = this.#numbers.length === 1 && this.#numbers[0] === OMITTED;
    if (isFirst && this.#prefix === "" && this.#intermediates === "") this.#prefix = prefix;
    else this.#isMalformed = true;
  }

  addIntermediate(intermediate: string): void {
    if (this.#intermediates.length < MAX_INTERMEDIATES) this.#intermediates += intermediate;
    else this.#isMalformed = true;
  }

  /** What a sequence with this final character asks for: its prefix, intermediates and final character. */
  nameWith(final: string): string {
    return this.#prefix + this.#intermediates + final;
  }

  /** A parameter, or what stands for one that was left out. */
  number(at: number, fallback: number): number {
    const number = this.#numbers[at] ?? OMITTED;
    return number === OMITTED ? fallback : number;
  }

  /** A parameter that says how many: 0 and one that was left out are 1. */
  count(at: number): number {
    return Math.max(1, this.number(at, 1));
  }

  /** Where the parameters end that colons joined to this one. */
  endOfGroup(at: number): number {
    let end = at + 1;
    while (end < this.#numbers.length && (this.#colons & (1 << end)) !== 0) end++;
    return end;
  }

  toState(): CsiState {
    return {
      prefix: this.#prefix,
      intermediates: this.#intermediates,
      numbers: [...this.#numbers],
      colons: this.#colons,
      isFull: this.#isFull,
      isMalformed: this.#isMalformed,
    };
  }
}
