import { parse, SearchHit, SearchQuery } from "@nacre/contracts";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  groupHits,
  NO_SEARCH,
  ownerOf,
  buildQuery,
  readSearch,
  SINCE_MS,
  writeOwner,
  writeSearch,
} from "./search-state.ts";

const NOW = Date.parse("2026-01-31T10:00:00.000Z");

test("a search survives the way through a link", () => {
  const state = fc.record({
    text: fc.string({ unit: "grapheme" }),
    mode: fc.constantFrom("words" as const, "substring" as const, "regex" as const),
    exit: fc.constantFrom("", "success", "failure", "unknown", "0", "137"),
    cwd: fc.string(),
    since: fc.constantFrom("", ...Object.keys(SINCE_MS)),
    owner: fc.string(),
  });
  fc.assert(
    fc.property(state, (one) => {
      const link = new URLSearchParams(writeSearch(one)).toString();
      expect(readSearch(new URLSearchParams(link))).toEqual(one);
    }),
  );
});

test("a link says only what counts, and what it does not know does not count", () => {
  expect(writeSearch(NO_SEARCH)).toEqual({});
  expect(writeSearch({ ...NO_SEARCH, text: "a b" })).toEqual({ q: "a b" });
  const odd = new URLSearchParams("q=x&mode=magic&since=toString&exit=<script>&other=1");
  expect(readSearch(odd)).toEqual({ ...NO_SEARCH, text: "x" });
});

test("the fields become a search of the host", () => {
  const state = {
    text: " no space ",
    mode: "words",
    exit: "127",
    cwd: " /srv ",
    since: "24h",
    owner: "Task/a/b",
  } as const;
  const query = buildQuery(state, NOW);
  expect(query).toEqual({
    text: "no space",
    mode: "words",
    exit: 127,
    cwd: "/srv",
    since: "2026-01-30T10:00:00.000Z",
    owner: { entityName: "Task", entityId: "a/b" },
  });
  expect(parse(SearchQuery, query)).toEqual(query);
  expect(buildQuery({ ...NO_SEARCH, text: " x ", mode: "substring" }, NOW)).toMatchObject({
    text: " x ",
  });
});

test("a directory that is none is said before anybody is asked", () => {
  expect(buildQuery({ ...NO_SEARCH, text: "x", cwd: "src" }, NOW)).toMatchObject({ field: "cwd" });
});

test("an owner is its kind, or its kind and its identity", () => {
  expect(ownerOf("Task")).toEqual({ entityName: "Task" });
  expect(ownerOf(" ")).toBe(undefined);
  expect(writeOwner({ entityName: "Task", entityId: "a/b" })).toBe("Task/a/b");
  expect(writeOwner({ entityName: "Task" })).toBe("Task");
});

test("the hits of a terminal are put together, the terminal with the newest first", () => {
  const hit = (terminalId: string, sequence: number) =>
    SearchHit.parse({
      terminalId,
      entryId: "terminal_recording_entry:e1",
      sequence,
      type: "output",
      occurredAt: "2026-01-31T09:30:00.000Z",
      line: "x",
      matches: [],
    });
  const groups = groupHits([hit("terminal:b", 9), hit("terminal:a", 4), hit("terminal:b", 2)]);
  expect(
    groups.map(({ terminalId, hits }) => [terminalId, hits.map((one) => one.sequence)]),
  ).toEqual([
    ["terminal:b", [9, 2]],
    ["terminal:a", [4]],
  ]);
});
