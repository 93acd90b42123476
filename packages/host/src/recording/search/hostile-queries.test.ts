import { NacreError, parse, SearchQuery, SearchResult } from "@nacre/contracts";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { terminalRow } from "../../testing/terminal-row.ts";
import { Recordings } from "../recordings.ts";
import { Output } from "../testing/recordings.ts";

let recordings: Recordings;
beforeAll(async () => {
  recordings = await Recordings.open();
  const output = new Output(await recordings.create(terminalRow("a")));
  for (let n = 0; n < 1500; n++) {
    void output.write(`${n} it's "quoted" -- NEAR(a b) AND col:x* OR NOT ^y; DROP TABLE block\r\n`);
  }
  await output.write("end\r\n");
  await recordings.whenIndexed();
});
afterAll(() => recordings[Symbol.asyncDispose]());

const syntax = fc.constantFrom(
  '"',
  "'",
  "*",
  "AND",
  "OR",
  "NOT",
  "NEAR(",
  ")",
  "(",
  "col:",
  "^",
  "--",
  ";",
  "\0",
  "%",
  "_",
  "+",
  "{",
  "}",
  "letters",
  "rank",
  "block",
  "a b",
  "[",
  "]",
  "\\",
  "?",
  "|",
  "$",
  "😀",
  "é",
  "ｆ",
);
const hostile = fc
  .array(fc.oneof(syntax, fc.string({ maxLength: 6, unit: "binary" })), {
    minLength: 1,
    maxLength: 12,
  })
  .map((parts) => parts.join(""));

test("whatever is searched for is text: it is answered, or refused with what is wrong", async () => {
  await fc.assert(
    fc.asyncProperty(
      hostile,
      fc.constantFrom("words" as const, "substring" as const, "regex" as const),
      async (text, mode) => {
        const query = SearchQuery.safeParse({ text, mode, limit: 3, context: 1 });
        if (!query.success) return;
        const answer = await recordings.search(query.data).catch((error: unknown) => error);
        const isRefused = answer instanceof NacreError && answer.code === "invalid_argument";
        expect(isRefused ? mode : SearchResult.safeParse(answer).success).toBe(
          isRefused ? "regex" : true,
        );
      },
    ),
    { numRuns: 2000 },
  );
});

test.each([
  ['it\'s "quoted"', "substring"],
  ["NEAR(a", "substring"],
  ['"quoted"', "words"],
  ["col:x*", "substring"],
  ["; DROP TABLE block", "substring"],
  ["AND", "words"],
  ["^y;", "substring"],
] as const)("%s is found as it is", async (text, mode) => {
  const { hits } = await recordings.search({ text, mode, limit: 1 });
  expect(hits).toMatchObject([{ line: expect.stringContaining(text) }]);
});

test.each(["", "1", "1.", ".1", "a.b.c", "zzzzzzzzzzzzzz.1", "-1.0", "1.0 OR 1", "🙂.1"])(
  "a position that no search gave is refused: %j",
  async (after) => {
    const query = { text: "quoted", after };
    const answer = Promise.resolve().then(() => recordings.search(parse(SearchQuery, query)));
    await expect(answer).rejects.toMatchObject({ code: "invalid_argument", field: "after" });
  },
);
