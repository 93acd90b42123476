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
    caller: "ann",
    command: "make",
    cwd: "/tmp",
    exit: "failure",
    since: "2026-01-31T09:30:00Z",
    until: "2026-02-01T00:00:00Z",
    limit: 5,
    after: "position",
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
        linesBefore: ["above"],
        linesAfter: ["below"],
        command: { commandId: "c1", commandLine: "grep needle", exitCode: 0 },
      },
    ],
    truncated: true,
    nextAfter: "position",
  };
  expect(SearchResult.parse(result)).toEqual(result);
});

test("a result says where to go on exactly when there is more", () => {
  const more = { hits: [], truncated: true, nextAfter: "position" };
  expect(SearchResult.safeParse(more).success).toBe(true);
  expect(SearchResult.safeParse({ hits: [], truncated: true }).success).toBe(false);
  expect(SearchResult.safeParse({ ...more, truncated: false }).success).toBe(false);
});

test("a search ends no earlier than it begins, whatever the precision of the times", () => {
  const since = "2026-01-31T09:30:00.500Z";
  expect(refused({ text: "a", since, until: "2026-01-31T09:30:00Z" })).toEqual(["since"]);
  expect(refused({ text: "a", since, until: since })).toBeUndefined();
});

test("a search for half of a surrogate pair is refused", () => {
  expect(refused({ text: "\ud800" })).toEqual(["text"]);
  expect(refused({ text: "a", command: "\ud800" })).toEqual(["command"]);
});
