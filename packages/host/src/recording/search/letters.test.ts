import fc from "fast-check";
import { expect, test } from "vitest";
import { lettersOf, lettersQuery, wordsIn } from "./letters.ts";

const codesIn = (spelled = ""): string[] => spelled.split(" ").filter(Boolean);

/** The codes of a query that a text does not have. */
function lacking(query: Parameters<typeof lettersQuery>[0], text: string): string[] {
  const known = new Set(codesIn(lettersOf(text)));
  return codesIn(lettersQuery(query)).filter((code) => !known.has(code));
}

const CLOSED = { start: false, end: false };

test("a text has all the codes that a query for a part of it asks for, in any case", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1 });
  fc.assert(
    fc.property(text, text, text, (before, needle, after) => {
      const all = before + needle + after;
      expect(lacking({ literals: [needle], words: [] }, all)).toEqual([]);
      expect(lacking({ literals: [needle.toLowerCase()], words: [] }, all)).toEqual([]);
    }),
  );
});

test("a text has all the codes of words that stand alone in it", () => {
  const text = fc.string({ unit: "grapheme", minLength: 1 });
  fc.assert(
    fc.property(text, text, text, (before, needle, after) => {
      const words = wordsIn(needle, CLOSED);
      expect(lacking({ literals: [], words }, `${before} ${needle} ${after}`)).toEqual([]);
    }),
  );
});

test("a sigma at the end of a word is found inside one", () => {
  expect(lacking({ literals: ["ΟΔΟΣ"], words: [] }, "ΟΔΟΣΑ")).toEqual([]);
});

test("each code is there once, spelled so that it is nothing but a word", () => {
  expect(lettersOf("aaaaaaaa")).toMatch(/^[a-z0-5]{4} [a-z0-5]{4} $/);
  expect(lettersOf("")).toBe("");
});

test("texts that differ have codes that differ", () => {
  expect(lacking({ literals: ["needle-7351"], words: [] }, "needle-7352")).toHaveLength(1);
  expect(lacking({ literals: [], words: ["needle", "735"] }, "needle-7351")).toHaveLength(1);
});

test("what is too short asks for nothing, except as a word", () => {
  expect(lettersQuery({ literals: ["ab", ""], words: [] })).toBeUndefined();
  expect(lettersQuery({ literals: ["ab"], words: ["ab"] })).toMatch(/^[a-z0-5]{4}$/);
});

test.each([
  ["needle-7351", CLOSED, ["needle", "7351"]],
  ["needle-7351", { start: false, end: true }, ["needle"]],
  ["needle", { start: true, end: false }, []],
  ["-a.b-", { start: true, end: true }, ["a", "b"]],
  ["$", CLOSED, []],
])("the words of %s, open at %j, are %j", (text, open, words) => {
  expect(wordsIn(text, open)).toEqual(words);
});
