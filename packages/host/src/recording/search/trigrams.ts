// Short codes for trigrams, and for words with the part of the text they are in. The index of these codes tells which
// blocks may contain a text.

/** Collisions only cost a scan of a block. */
const CODE_BITS = 20;
const CODES = 1 << CODE_BITS;

/** Five bits per letter. */
const CODE_LENGTH = CODE_BITS / 5;
const ALPHABET = new TextEncoder().encode("abcdefghijklmnopqrstuvwxyz012345");
const BLANK = 0x20;

/** More codes make a query slower, not more precise. */
const MAX_QUERY_CODES = 48;
const MAX_QUERY_WORDS = 8;

/** Words of the same line are in the same part. */
const PARTS = 32;
const PART_LENGTH = 1024;

/** Substrings and whole words that one line must contain. */
export interface QueryTerms {
  readonly literals: readonly string[];
  readonly words: readonly string[];
}

/** Case-insensitive, and sigma equals final sigma. */
export const foldCase = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");

function codeOf(mixed: number): number {
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35) >>> (32 - CODE_BITS);
}

const mixTrigram = (first: number, second: number, third: number): number =>
  Math.imul(Math.imul(first, 0x9e37_79b1) ^ second, 0x85eb_ca6b) ^ third;

function mixWord(text: string, start: number, end: number): number {
  let mixed = 0x811c_9dc5;
  for (let index = start; index < end; index++) {
    mixed = Math.imul(mixed ^ text.charCodeAt(index), 0x0100_0193);
  }
  return mixed;
}

const wordCode = (mixed: number, part: number): number =>
  codeOf(Math.imul(mixed ^ (part + 1), 0x9e37_79b1));

/** Cached per UTF-16 unit. A lone surrogate is never part of a word. */
const isWordUnit = ((): ((unit: number) => boolean) => {
  const known = new Uint8Array(0x1_0000);
  return (unit) => {
    const state = known[unit];
    if (state !== 0) return state === 1;
    const isWord = /[\p{L}\p{N}_]/u.test(String.fromCharCode(unit));
    known[unit] = isWord ? 1 : 2;
    return isWord;
  };
})();

/** A reusable set. */
class CodeSet {
  readonly #seen = new Uint32Array(CODES / 32);
  readonly #codes: number[] = [];

  add(code: number): void {
    const slot = code >>> 5;
    const bits = this.#seen[slot] ?? 0;
    const bit = 1 << (code & 31);
    if ((bits & bit) !== 0) return;
    this.#seen[slot] = bits | bit;
    this.#codes.push(code);
  }

  get size(): number {
    return this.#codes.length;
  }

  /** Returns all codes and clears. */
  take(): string {
    const spelled = Buffer.alloc(this.#codes.length * (CODE_LENGTH + 1), BLANK);
    let at = 0;
    for (const code of this.#codes) {
      for (let shift = CODE_BITS - 5; shift >= 0; shift -= 5) {
        spelled[at++] = ALPHABET[(code >>> shift) & 31] ?? BLANK;
      }
      at++;
      this.#seen[code >>> 5] = 0;
    }
    this.#codes.length = 0;
    return spelled.toString("latin1");
  }
}

const codes = new CodeSet();

const LINE_FEED = 0x0a;

export function encodeTrigrams(text: string): string {
  const folded = foldCase(text);
  let [first, second, part, wordStart] = [0, 0, 0, 0];
  for (let index = 0; index < folded.length; index++) {
    const unit = folded.charCodeAt(index);
    if (!isWordUnit(unit)) {
      if (index > wordStart) codes.add(wordCode(mixWord(folded, wordStart, index), part));
      wordStart = index + 1;
      if (unit === LINE_FEED) part = Math.min(PARTS - 1, Math.floor(index / PART_LENGTH));
    }
    if (index >= 2) codes.add(codeOf(mixTrigram(first, second, unit)));
    first = second;
    second = unit;
  }
  const end = folded.length;
  if (end > wordStart) codes.add(wordCode(mixWord(folded, wordStart, end), part));
  return codes.take();
}

/** Undefined when the terms are too short. */
export function buildTrigramQuery({ literals, words }: QueryTerms): string | undefined {
  for (const literal of literals) {
    const folded = foldCase(literal);
    for (let index = 2; index < folded.length && codes.size < MAX_QUERY_CODES; index++) {
      const [first, second] = [folded.charCodeAt(index - 2), folded.charCodeAt(index - 1)];
      codes.add(codeOf(mixTrigram(first, second, folded.charCodeAt(index))));
    }
  }
  const anywhere = codes.take().trimEnd();
  const mixed = words
    .slice(0, MAX_QUERY_WORDS)
    .map(foldCase)
    .map((word) => mixWord(word, 0, word.length));
  if (mixed.length === 0) return anywhere === "" ? undefined : anywhere;
  const together = Array.from({ length: PARTS }, (_, part) => {
    for (const word of mixed) codes.add(wordCode(word, part));
    return `(${codes.take().trimEnd()})`;
  }).join(" OR ");
  return anywhere === "" ? together : `(${anywhere}) AND (${together})`;
}

/** Ends at which a found text may continue. */
export interface OpenEnds {
  readonly start: boolean;
  readonly end: boolean;
}

/** Words that stand alone wherever the text does. */
export function extractWords(unfolded: string, open: OpenEnds): string[] {
  const words: string[] = [];
  const text = foldCase(unfolded);
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && isWordUnit(text.charCodeAt(index))) continue;
    const isOpen = (start === 0 && open.start) || (index === text.length && open.end);
    if (index > start && !isOpen) words.push(text.slice(start, index));
    start = index + 1;
  }
  return words;
}
