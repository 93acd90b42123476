import { expect, test } from "vitest";
import { ENTRIES, refusal, TERMINAL_ID } from "./fixtures.ts";
import { parse } from "./parse.ts";
import {
  FindRecordingEntriesInput,
  MAX_PAGE_ENTRIES,
  TerminalRecordingEntryCollectionSchema,
} from "./recording-page.ts";

const query = {
  terminalId: TERMINAL_ID,
  types: ["input"],
  after: 100,
  limit: MAX_PAGE_ENTRIES,
  view: "raw",
};

test("entries are found by type, after a sequence, with a limit, in a view", () => {
  expect(parse(FindRecordingEntriesInput, query)).toEqual(query);
  expect(parse(FindRecordingEntriesInput, { terminalId: TERMINAL_ID })).toEqual({
    terminalId: TERMINAL_ID,
  });
});

test.each([
  ["limit", MAX_PAGE_ENTRIES + 1],
  ["limit", 0],
  ["types.0", ["other"]],
  ["types", []],
  ["after", -1],
  ["view", "cooked"],
  ["terminalId", "t1"],
  ["id", TERMINAL_ID],
])("a wrong %s is refused: %j", (field, value) => {
  const wrong = { ...query, [field.replace(".0", "")]: value };
  expect(refusal(FindRecordingEntriesInput, wrong)).toMatchObject({ field });
});

test("a page says where the next one begins exactly when there is one", () => {
  const page = { entries: [ENTRIES.header], truncated: true, nextAfter: 1 };
  const last = { entries: [], truncated: false };
  expect(parse(TerminalRecordingEntryCollectionSchema, page)).toEqual(page);
  expect(parse(TerminalRecordingEntryCollectionSchema, last)).toEqual(last);
  for (const wrong of [
    { ...last, truncated: true },
    { ...page, truncated: false },
  ]) {
    expect(refusal(TerminalRecordingEntryCollectionSchema, wrong)).toMatchObject({
      field: "nextAfter",
    });
  }
});
