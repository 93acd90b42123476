// What a text is made of, as short codes: three letters in a row, and whole words. The index of these codes says in which blocks a text can be.

/** So many different codes there are; two may coincide, which only costs a look into a block. */
const CODE_BITS = 20;
const CODES = 1 << CODE_BITS;

/** A code is spelled in letters of five bits each. */
const SPELLED_LETTERS = CODE_BITS / 5;
const ALPHABET = new TextEncoder().encode("abcdefghijklmnopqrstuvwxyz012345");
const BLANK = 0x20;

/** More codes make a query no more precise, only slower. */
const MAX_QUERY_CODES = 64;

/** What a query looks for: parts of a text, and words that stand alone in it. */
export interface Traces {
  readonly literals: readonly string[];
  readonly words: readonly string[];
}

/** Case does not count, nor the place of a sigma. */
const fold = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");

/** Spreads a number over all codes. */
function codeOf(mixed: number): number {
  return Math.imul(mixed ^ (mixed >>> 15), 0xc2b2_ae35) >>> (32 - CODE_BITS);
}

const mixLetters = (first: number, second: number, third: number): number =>
  Math.imul(Math.imul(first, 0x9e37_79b1) ^ second, 0x85eb_ca6b) ^ third;

const WORD_SEED = 0x811c_9dc5;
const mixWord = (mixed: number, letter: number): number => Math.imul(mixed ^ letter, 0x0100_0193);

/** Whether a UTF-16 unit is part of a word; looked up once per unit. Half a character is none, in a text as in a query. */
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

/** Gathers codes, each once; used again for every text. */
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

  /** Spells all codes and starts anew. */
  take(): string {
    const spelled = Buffer.alloc(this.#codes.length * (SPELLED_LETTERS + 1), BLANK);
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

/** All codes of a text, to be indexed. */
export function lettersOf(text: string): string {
  const folded = fold(text);
  let first = 0;
  let second = 0;
  let word = WORD_SEED;
  for (let index = 0; index < folded.length; index++) {
    const unit = folded.charCodeAt(index);
    if (index >= 2) codes.add(codeOf(mixLetters(first, second, unit)));
    if (isWordUnit(unit)) word = mixWord(word, unit);
    else if (word !== WORD_SEED) {
      codes.add(codeOf(word));
      word = WORD_SEED;
    }
    first = second;
    second = unit;
  }
  if (word !== WORD_SEED) codes.add(codeOf(word));
  return codes.take();
}

/** The query for blocks that may have all of it; nothing when it is too short to tell. */
export function lettersQuery({ literals, words }: Traces): string | undefined {
  for (const text of words) {
    let word = WORD_SEED;
    const folded = fold(text);
    for (let index = 0; index < folded.length; index++)
      word = mixWord(word, folded.charCodeAt(index));
    if (codes.size < MAX_QUERY_CODES) codes.add(codeOf(word));
  }
  for (const literal of literals) {
    const folded = fold(literal);
    for (let index = 2; index < folded.length && codes.size < MAX_QUERY_CODES; index++) {
      const [first, second] = [folded.charCodeAt(index - 2), folded.charCodeAt(index - 1)];
      codes.add(codeOf(mixLetters(first, second, folded.charCodeAt(index))));
    }
  }
  const query = codes.take().trimEnd();
  return query === "" ? undefined : query;
}

/** The words of a text that stand alone wherever the text does; `open` ends may go on. */
export function wordsIn(
  text: string,
  open: { readonly start: boolean; readonly end: boolean },
): string[] {
  const words: string[] = [];
  let start = 0;
  for (let index = 0; index <= text.length; index++) {
    if (index < text.length && isWordUnit(text.charCodeAt(index))) continue;
    const isOpen = (start === 0 && open.start) || (index === text.length && open.end);
    if (index > start && !isOpen) words.push(text.slice(start, index));
    start = index + 1;
  }
  return words;
}
