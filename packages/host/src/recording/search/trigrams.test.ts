import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeTrigrams, buildTrigramQuery, extractWords } from "./trigrams.ts";

const codesIn = (spelled = ""): string[] => spelled.split(" ").filter(Boolean);

const NOTHING = { literals: [], words: [] };

/** Whether the index would give a block with this text for a query. */
function mayHave(text: string, query: Parameters<typeof buildTrigramQuery>[0]): boolean {
  const known = new Set(codesIn(encodeTrigrams(text)));
  const asked = buildTrigramQuery(query) ?? "";
  const hasAll = (codes: string): boolean => codesIn(codes).every((code) => known.has(code));
  const [anywhere, together] = asked.includes(" AND (") ? asked.split(" AND ") : ["", asked];
  const alternatives = (together ?? "").replaceAll(/[()]/g, "").split(" OR ");
  return hasAll((anywhere ?? "").replaceAll(/[()]/g, "")) && alternatives.some(hasAll);
}

const CLOSED = { start: false, end: false };
const OPEN = { start: true, end: true };

test("a text has all the codes that a query for a part of it asks for, in any case", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1 });
  fc.assert(
    fc.property(text, text, text, (before, needle, after) => {
      const all = before + needle + after;
      expect(mayHave(all, { ...NOTHING, literals: [needle] })).toBe(true);
      expect(mayHave(all, { ...NOTHING, literals: [needle.toLowerCase()] })).toBe(true);
    }),
  );
});

test("a line has all the codes of words that stand alone in it, wherever the line is", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1 });
  const many = fc.integer({ min: 0, max: 60_000 });
  fc.assert(
    fc.property(text, text, text, many, (before, needle, after, length) => {
      const around = `${"x".repeat(80)}\n`.repeat(length / 80);
      const all = `${around}${before} ${needle} ${after}\n${around}`;
      expect(mayHave(all, { literals: [needle], words: extractWords(needle, CLOSED) })).toBe(true);
    }),
  );
});

test("a text in the middle of words has the codes of what is known of them", () => {
  const line = "at errored.ts:42:7";
  const literals = ["rored.ts:4"];
  const words = extractWords("rored.ts:4", OPEN);
  expect(words).toEqual(["ts"]);
  expect(mayHave(line, { literals, words })).toBe(true);
});

test("words that are in different parts of a text are not in one line", () => {
  const around = `${"x".repeat(80)}\n`.repeat(40);
  const apart = `needle\n${around}hay\n`;
  expect(mayHave(apart, { ...NOTHING, words: ["needle"] })).toBe(true);
  expect(mayHave(apart, { ...NOTHING, words: ["needle", "hay"] })).toBe(false);
  expect(mayHave("needle hay", { ...NOTHING, words: ["needle", "hay"] })).toBe(true);
});

test("a sigma at the end of a word is found inside one", () => {
  expect(mayHave("ΟΔΟΣΑ", { ...NOTHING, literals: ["ΟΔΟΣ"] })).toBe(true);
});

test("each code is there once, spelled so that it is nothing but a word", () => {
  expect(encodeTrigrams("aaa aaa aaa")).toMatch(/^([a-z0-5]{4} ){5}$/);
  expect(encodeTrigrams("")).toBe("");
});

test("texts that differ have codes that differ", () => {
  expect(mayHave("needle-7352", { ...NOTHING, literals: ["needle-7351"] })).toBe(false);
  expect(mayHave("needle-7351", { ...NOTHING, words: ["needle", "735"] })).toBe(false);
});

test("what is too short asks for nothing, except as a word", () => {
  expect(buildTrigramQuery({ ...NOTHING, literals: ["ab", ""] })).toBeUndefined();
  expect(buildTrigramQuery({ ...NOTHING, words: ["ab"] })).toMatch(
    /^(\([a-z0-5]{4}\)( OR |$)){32}$/,
  );
});

test.each([
  ["needle-7351", CLOSED, ["needle", "7351"]],
  ["needle-7351", { start: false, end: true }, ["needle"]],
  ["needle", { start: true, end: false }, []],
  ["-a.b-", OPEN, ["a", "b"]],
  ["$", CLOSED, []],
])("the words of %s, open at %j, are %j", (text, open, words) => {
  expect(extractWords(text, open)).toEqual(words);
});
