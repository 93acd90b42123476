import { NacreError, type SearchQuery } from "@nacre/contracts";
import { RE2JS } from "re2js";
import { extractWords, foldCase, type QueryTerms } from "./trigrams.ts";

/** `\k<name>`; RE2 would take it for the letter k. */
const NAMED_REFERENCE = /(?<!\\)(?:\\\\)*\\k</;

/** JavaScript writes `Script=Greek`; RE2 only `Greek`. */
const SCRIPT = /(?<!\\)((?:\\\\)*\\[pP])\{(?:Script|sc)=(\w+)\}/g;

/** An RE2 pattern: linear in the line's length, hence no look-arounds and no back references. */
class LinearPattern {
  readonly #pattern: RE2JS;

  /** Takes JavaScript syntax; refuses what is invalid or cannot run in linear time. */
  constructor(source: string) {
    try {
      // Must be valid JavaScript, too: both must read a pattern alike.
      void new RegExp(source, "u");
      if (NAMED_REFERENCE.test(source)) throw new Error("back references are not supported");
      this.#pattern = RE2JS.compile(RE2JS.translateRegExp(source.replace(SCRIPT, "$1{$2}")));
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new NacreError("invalid_argument", `text: ${reason}`, {
        cause,
        field: "text",
        suggestion:
          "Correct the regular expression, leave out look-arounds and back references, or look for it as a `substring`.",
      });
    }
  }

  /** In order, up to `max`; empty matches cannot be displayed and are left out. */
  rangesIn(line: string, max: number): MatchRange[] {
    const ranges: MatchRange[] = [];
    // A test is much cheaper than locating matches.
    if (!this.#pattern.test(line)) return ranges;
    const matcher = this.#pattern.matcher(line);
    while (ranges.length < max && matcher.find()) {
      const [start, end] = [matcher.start(), matcher.end()];
      if (end > start) ranges.push({ start, end });
    }
    return ranges;
  }
}

/** UTF-16 units. */
export interface MatchRange {
  readonly start: number;
  readonly end: number;
}

/** A matching line contains all of its terms. */
export interface QueryMatcher extends QueryTerms {
  /** Fast rejection of a block, first by bytes, then by text; a block that passes may still have no match. */
  mayMatchBytes(text: Buffer): boolean;
  mayMatch(text: string): boolean;
  /** In order; empty when the line does not match. */
  match(line: string): MatchRange[];
}

/** More ranges in one line help nobody. */
const MAX_RANGES = 100;

/** Scripts without spaces: a word may begin and end anywhere. */
const UNSPACED =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}]/u;
const WORD_LETTER = /[\p{L}\p{N}_]/u;

/** Refuses an invalid regular expression. */
export function createQueryMatcher({
  text,
  mode = "words",
}: Pick<SearchQuery, "text" | "mode">): QueryMatcher {
  switch (mode) {
    case "words":
      return wordsMatcher(text.split(/\s+/).filter(Boolean));
    case "substring":
      return substringMatcher(text);
    case "regex":
      return regexMatcher(text);
  }
}

function wordsMatcher(words: readonly string[]): QueryMatcher {
  const wanted = words.map(wantedWord);
  const lowered = wanted
    .map(({ needle }) => foldCase(needle))
    .toSorted((a, b) => b.length - a.length);
  return {
    literals: wanted.map(({ needle }) => needle),
    words: wanted.flatMap(({ whole }) => whole),
    mayMatchBytes: () => true,
    mayMatch: (text) => {
      const low = foldCase(text);
      // Characters whose lower case has another length are left to the pattern.
      return low.length !== text.length || hasLineWithAll(low, lowered);
    },
    match: (line) => {
      const found = wanted.map(({ pattern }) => findRanges(pattern, line));
      if (found.some((ranges) => ranges.length === 0)) return [];
      return found
        .flat()
        .toSorted((a, b) => a.start - b.start || a.end - b.end)
        .slice(0, MAX_RANGES);
    },
  };
}

/** Whether a line contains all needles; steps through the matches of the first. */
function hasLineWithAll(text: string, [first = "", ...others]: readonly string[]): boolean {
  for (let at = text.indexOf(first); at >= 0; at = text.indexOf(first, at)) {
    const start = text.lastIndexOf("\n", at) + 1;
    const next = text.indexOf("\n", at);
    const end = next < 0 ? text.length : next;
    const line = text.slice(start, end);
    if (others.every((other) => line.includes(other))) return true;
    at = end;
  }
  return false;
}

interface WantedWord {
  readonly needle: string;
  readonly pattern: RegExp;
  /** The words in it that stand alone. */
  readonly whole: readonly string[];
}

/** A word is matched whole unless it ends with `*`; its own punctuation counts. */
function wantedWord(word: string): WantedWord {
  const isPrefix = word.length > 1 && word.endsWith("*");
  const needle = isPrefix ? word.slice(0, -1) : word;
  const letters = Array.from(needle);
  const open = {
    start: isUnspaced(letters[0]),
    end: isPrefix || isUnspaced(letters.at(-1)),
  };
  const before = isLetter(letters[0]) && !open.start ? "(?<![\\p{L}\\p{N}_])" : "";
  const after = isLetter(letters.at(-1)) && !open.end ? "(?![\\p{L}\\p{N}_])" : "";
  const pattern = new RegExp(`${before}${escapePattern(needle)}${after}`, "giu");
  return { needle, pattern, whole: extractWords(needle, open) };
}

const isLetter = (letter = ""): boolean => WORD_LETTER.test(letter);
const isUnspaced = (letter = ""): boolean => UNSPACED.test(letter);

const escapePattern = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

function substringMatcher(needle: string): QueryMatcher {
  return {
    literals: [needle],
    words: extractWords(needle, { start: true, end: true }),
    mayMatchBytes: (text) => text.includes(needle),
    mayMatch: () => true,
    match: (line) => {
      const ranges: MatchRange[] = [];
      let start = line.indexOf(needle);
      while (start >= 0 && ranges.length < MAX_RANGES) {
        ranges.push({ start, end: start + needle.length });
        start = line.indexOf(needle, start + needle.length);
      }
      return ranges;
    },
  };
}

function regexMatcher(source: string): QueryMatcher {
  const pattern = new LinearPattern(source);
  const literals = requiredLiterals(source);
  return {
    literals,
    words: [],
    mayMatchBytes: (text) => literals.every((literal) => text.includes(literal)),
    mayMatch: () => true,
    match: (line) => pattern.rangesIn(line, MAX_RANGES),
  };
}

function findRanges(pattern: RegExp, line: string): MatchRange[] {
  const ranges: MatchRange[] = [];
  for (const match of line.matchAll(pattern)) {
    // An empty match cannot be displayed.
    if (match[0] !== "") ranges.push({ start: match.index, end: match.index + match[0].length });
    if (ranges.length >= MAX_RANGES) break;
  }
  return ranges;
}

/** Quantifiers that allow zero occurrences. */
const OPTIONAL = /^(?:[*?]|\{0)/;
const QUANTIFIER = /^(?:[*+?]|\{\d+(?:,\d*)?\})\??/;
/** Groups are found by counting. */
const CLASS = /^\[(?:\\.|[^\]\\])*\]/su;
/** Escapes of literal characters. */
const PLAIN_ESCAPE = /^\\([\\^$.*+?()[\]{}|/-])/;
const OTHER_ESCAPE = /^\\(?:u\{[^}]*\}|u.{4}|x..|c.|[pP]\{[^}]*\}|k<[^>]*>|\d+|.)/su;

/** Literals that every match contains; none when that is not obvious. */
export function requiredLiterals(source: string): string[] {
  const literals: string[] = [];
  let run = "";
  const endRun = (): void => {
    if (run !== "") literals.push(run);
    run = "";
  };
  let rest = source;
  while (rest !== "") {
    if (rest.startsWith("|")) return [];
    const skipped = lengthOfUnknown(rest);
    const literal =
      skipped > 0 ? undefined : (PLAIN_ESCAPE.exec(rest)?.[1] ?? firstCharacterOf(rest));
    rest = rest.slice(skipped > 0 ? skipped : rest.startsWith("\\") ? 2 : (literal ?? "").length);
    const quantifier = QUANTIFIER.exec(rest)?.[0];
    if (literal === undefined) endRun();
    else if (quantifier === undefined) run += literal;
    else {
      if (!OPTIONAL.test(quantifier)) run += literal;
      endRun();
    }
    if (quantifier !== undefined) rest = rest.slice(quantifier.length);
  }
  endRun();
  return literals;
}

const firstCharacterOf = (text: string): string => String.fromCodePoint(text.codePointAt(0) ?? 0);

/** Length of the leading part without known literals: group, class, assertion or escape. */
function lengthOfUnknown(rest: string): number {
  if (rest.startsWith("(")) return lengthOfGroup(rest);
  if (rest.startsWith("[")) return CLASS.exec(rest)?.[0].length ?? rest.length;
  if (PLAIN_ESCAPE.test(rest)) return 0;
  if (rest.startsWith("\\")) return OTHER_ESCAPE.exec(rest)?.[0].length ?? rest.length;
  return /^[.^$]/.test(rest) ? 1 : 0;
}

function lengthOfGroup(rest: string): number {
  let depth = 0;
  let index = 0;
  while (index < rest.length) {
    const part = rest.slice(index);
    if (part.startsWith("\\")) index += 2;
    else if (part.startsWith("[")) index += CLASS.exec(part)?.[0].length ?? part.length;
    else {
      if (part.startsWith("(")) depth++;
      if (part.startsWith(")")) depth--;
      index++;
      if (depth === 0) return index;
    }
  }
  return rest.length;
}
