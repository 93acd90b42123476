import { expect, test } from "vitest";
import { TERMINAL_ID } from "./fixtures.ts";
import { MAX_SEARCH_WORDS, SearchQuery, SearchResult } from "./search.ts";

const refused = (query: object) =>
  SearchQuery.safeParse(query).error?.issues.map(({ path }) => path.join("."));

test("a search takes text and any of the filters", () => {
  const query = {
    text: "needle",
    mode: "substring",
    terminalIds: [TERMINAL_ID],
    types: ["output"],
    owner: { entityName: "Task" },
    cwd: "/tmp",
    exit: "failure",
    since: "2026-01-31T09:30:00Z",
    until: "2026-02-01T00:00:00Z",
    limit: 5,
    after: "cursor",
    context: 2,
  };
  expect(SearchQuery.parse(query)).toEqual(query);
  expect(SearchQuery.parse({ text: "needle", exit: 137 }).exit).toBe(137);
});

test("a search for words is bounded, a search for a substring is not counted in words", () => {
  const text = "a ".repeat(MAX_SEARCH_WORDS + 1);
  expect(refused({ text })).toEqual(["text"]);
  expect(refused({ text, mode: "substring" })).toBeUndefined();
});

test("a search needs something to look for", () => {
  expect(refused({ text: "" })).toContain("text");
  expect(refused({ text: "  " })).toEqual(["text"]);
});

test("a result tells where each hit is", () => {
  const result = {
    hits: [
      {
        terminalId: TERMINAL_ID,
        entryId: "terminal_recording_entry:e1",
        sequence: 3,
        type: "output",
        occurredAt: "2026-01-31T09:30:00Z",
        line: "a needle",
        matches: [{ start: 2, end: 8 }],
        command: { commandId: "c1", commandLine: "grep needle", exitCode: 0 },
      },
    ],
    truncated: true,
    nextCursor: "cursor",
  };
  expect(SearchResult.parse(result)).toEqual(result);
});
